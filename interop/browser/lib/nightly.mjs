// Which tests run on each push, and which every night.
//
// A test that is registered with node:test's test runs on each push and every night. A test that is registered with nightly runs
// every night only: `npm test` does not know it, `npm run nightly` sets CI_NIGHTLY=1 and runs all tests. Use nightly for another look,
// browser route or device of something that a test of each push checks already, never for the only test of a fact.

import { test } from "node:test";

/** Is this the nightly run? For servers and rows of a table that only nightly tests need. */
export const isNightly = process.env.CI_NIGHTLY === "1";

const none = () => {};

/**
 * Registers a test as test does, in the nightly run only; nightly.describe registers a suite. It is test itself: with a function around
 * test, node reports lib/nightly.mjs as the file of the test, and a failed test could not be run once more.
 */
export const nightly = isNightly ? test : Object.assign(none, { describe: none });

/** Returns test if the condition holds, and nightly otherwise: `pushed(look === "light")(name, fn)`. */
export const pushed = (condition) => (condition ? test : nightly);
