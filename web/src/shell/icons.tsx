// The icons of the page.

import { icon, path } from "client/react/icons";

export { IconCheck } from "client/react/icons";

export const IconClose = icon(path("M5 5l10 10M15 5L5 15"));
export const IconPlus = icon(path("M10 4v12M4 10h12"));
export const IconMenu = icon(path("M3 5.500h14M3 10h14M3 14.500h9"));
export const IconPen = icon(path("M12.500 4.500l3 3L7 16l-3.500.5L4 13z"));
export const IconFork = icon(<circle cx="5.500" cy="4.500" r="1.800" />, <circle cx="5.500" cy="15.500" r="1.800" />, <circle cx="14.500" cy="6.500" r="1.800" />, path("M5.500 6.300v7.400M14.500 8.300c0 3.200-9 1.700-9 5.200"));
export const IconBin = icon(path("M4 6h12M8 6V4h4v2M5.500 6l.8 10h7.400l.8-10M8.500 9v4M11.500 9v4"));
export const IconSun = icon(<circle cx="10" cy="10" r="3.300" />, path("M10 2.500v1.700M10 15.800v1.700M2.500 10h1.700M15.800 10h1.700M4.700 4.700l1.200 1.200M14.100 14.100l1.200 1.200M15.300 4.700l-1.200 1.200M5.900 14.100l-1.200 1.200"));
export const IconMoon = icon(path("M16.500 12.200A6.800 6.800 0 0 1 7.800 3.500a6.800 6.800 0 1 0 8.700 8.700z"));
export const IconPulse = icon(path("M2.500 10.500h3.500l2-6 3.500 11 2.200-7 1.100 2h2.700"));
export const IconPlane = icon(path("M17 4.200c-.9-.9-2.300-.7-3.200.2L11 7.200 4.200 5.300 3 6.500l5.400 3.300-2.600 2.700-2-.3-.8.900 2.600 1.400 1.400 2.600.9-.8-.3-2 2.700-2.600L13.600 17l1.200-1.200L12.900 9l2.800-2.800c.9-.9 2.200-1.100 1.300-2z"));
export const IconBed = icon(path("M2.500 15.500V5M2.500 12.500h15v3M17.500 12.500V11a2.500 2.500 0 0 0-2.500-2.500H8.500v4"), <circle cx="5.500" cy="9.300" r="1.400" />);
export const IconSpark = icon(path("M10 3l1.600 4.600L16.500 9l-4.900 1.600L10 15.500l-1.600-4.900L3.500 9l4.900-1.400z"));
export const IconFork2 = icon(path("M5 3v4.500a2 2 0 0 0 4 0V3M7 9.500V17M14.500 17v-5.500h-2c0-4.500.8-7.500 2-8.500z"));
export const IconPin = icon(path("M10 17.500s5.200-4.600 5.200-9A5.200 5.200 0 0 0 10 3.200a5.200 5.200 0 0 0-5.200 5.300c0 4.400 5.200 9 5.200 9z"), <circle cx="10" cy="8.500" r="1.800" />);
export const IconPeople = icon(<circle cx="7" cy="7" r="2.600" />, path("M2 16c.4-3 2.300-4.500 5-4.500s4.600 1.500 5 4.500M13 4.700a2.600 2.600 0 0 1 0 4.700M14.500 11.800c2 .5 3.200 1.900 3.500 4.200"));
export const IconPerson = icon(<circle cx="10" cy="7" r="3" />, path("M4 16.500c.5-3.400 2.700-5 6-5s5.500 1.600 6 5"));
export const IconArrow = icon(path("M4 10h12M11.500 5.500L16 10l-4.500 4.500"));
export const IconChat = icon(path("M3.500 4.500h13v9h-7l-3.500 3v-3H3.500z"));
export const IconMap = icon(path("M3 5.200L7.700 3.500l4.600 1.700L17 3.500v11.300l-4.700 1.700-4.600-1.700L3 16.500zM7.700 3.500v11.300M12.300 5.200v11.300"));
export const IconRestart = icon(path("M4 10a6 6 0 1 1 1.800 4.300M4 16v-3.500h3.500"));
export const IconAlert = icon(path("M10 3.500l7.500 13h-15zM10 8.500v3.500M10 14.300v.2"));
export const IconClip = icon(path("M15.500 9.500l-5.700 5.700a3.500 3.500 0 0 1-5-5l6.200-6.200a2.400 2.400 0 0 1 3.400 3.400l-6.100 6.100a1.200 1.200 0 0 1-1.700-1.700l5.300-5.300"));
export const IconFile = icon(path("M5 3h6.500L15 6.500V17H5zM11.500 3v3.500H15"));
export const IconShield = icon(path("M10 2.800l6 2.200v4.600c0 3.700-2.500 6.200-6 7.600-3.500-1.400-6-3.900-6-7.600V5zM7.300 9.900l2 2 3.600-4"));
