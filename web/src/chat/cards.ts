import type { CardParts } from "client/react/context";
import { Streamdown } from "../markdown/Markdown";
import { SpeakerSign } from "./Speaker";

/** What the cards of questions have from the page. */
export const cards: CardParts = { Sign: SpeakerSign, Text: Streamdown };
