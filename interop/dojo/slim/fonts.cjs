// The page's fonts, which would be fetched while it is built: a font of the machine stands in for each.
const faces = { Geist: "wght@100..900", "Geist Mono": "wght@100..900" };
const css = (family) => `@font-face { font-family: "${family}"; font-weight: 100 900; font-display: swap; src: local("Arial"); }`;

module.exports = Object.fromEntries(
  Object.entries(faces).map(([family, axis]) => [`https://fonts.googleapis.com/css2?family=${family.replace(" ", "+")}:${axis}&display=swap`, css(family)]),
);
