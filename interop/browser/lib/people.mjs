// Signing in and out of the gateway's own page.

import { openPlanner } from "./planner.mjs";

/** The field for a key or token. */
export const keyField = (page) => page.getByTestId("sign-in-key");

/** The button that says who one is. */
export const person = (page, name) => page.locator(`[data-testid="person"][data-principal="key:${name}"]`);

/** Waits until the page says that one is signed in by that key. */
export const signedIn = (page, name) => person(page, name).waitFor();

/** Types a key and sends it. */
export async function enter(page, key) {
  await keyField(page).fill(key);
  await page.getByTestId("sign-in-go").click();
}

/** Types a key and sends it, and waits until the page has let one in. */
export async function signIn(page, key) {
  await enter(page, key);
  await keyField(page).waitFor({ state: "detached" });
}

/** Signs out by the page's menu. */
export async function signOut(page) {
  await page.getByTestId("person").click();
  await page.getByTestId("sign-out").click();
}

/** The gateway as somebody with that key asks it. */
export const withKey = (gateway, key) => ({ ...gateway, headers: { Authorization: `Bearer ${key}` } });

/** Opens the page of a gateway and signs in with that one of the keys, with the options of openPlanner. */
export async function openAs(t, gateway, keys, name, options) {
  const page = await openPlanner(t, gateway.url, options);
  page.allow(/\b401\b/); // the first requests, which ask whether one has to sign in
  await signIn(page, keys[name]);
  await signedIn(page, name);
  return page;
}
