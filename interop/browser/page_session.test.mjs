// How the gateway's own page asks who one is, by key, token and proxy, and what it makes of each refusal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getsFocus } from "./lib/keyboard.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { enter, keyField, openAs, signedIn, signIn, withKey } from "./lib/people.mjs";
import { begin, openPlanner, pick, question, show } from "./lib/planner.mjs";
import { ask, startGateway } from "./lib/servers.mjs";
import { startIssuer } from "../lib/issuer.mjs";
import { keysFile } from "../lib/keys.mjs";
import { until } from "../lib/until.mjs";

const { args, keys, write } = keysFile(["ann", "ben"], { roles: { ann: ["editor", "traveller"] } });
const gateway = await startGateway({ args });

test("what is not a key is refused by its field, with the keyboard alone, and what was typed stays", async (t) => {
  const page = await openPlanner(t, gateway.url);
  page.allow(/\b401\b/);
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  await dialog.waitFor();
  assert.equal(await keyField(page).getAttribute("type"), "password");
  const problem = page.getByRole("alert").filter({ visible: true });
  for (const [typed, said] of [["", "Enter your key"], ["two words", "no spaces"], ["not-a-key", "is not accepted"]]) {
    await page.keyboard.press("ControlOrMeta+a");
    if (typed) await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
    await problem.filter({ hasText: said }).waitFor();
    assert.equal(await keyField(page).inputValue(), typed);
    await getsFocus(page, keyField(page));
  }
  for (let i = 0; i < 3; i++) await page.keyboard.press("Escape");
  await dialog.waitFor();
  await keyField(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(`Authorization: Bearer ${keys.ann}\n`); // pasted from somewhere
  await page.keyboard.press("Enter");
  await signedIn(page, "ann");
});

test("a token that expires under an open page is asked for again, and the plan goes on", async (t) => {
  const issuer = await startIssuer();
  const page = await openPlanner(t, (await startGateway({ args: issuer.args })).url);
  page.allow(/\b401\b/);
  const [expired, first, second] = [-1, 600, 900].map((seconds) => issuer.token("ann", seconds));
  await enter(page, expired);
  await page.getByTestId("sign-in-problem").filter({ hasText: "is not accepted" }).waitFor();
  await signIn(page, first);
  await page.locator(`[data-testid="person"][data-principal="jwt:${issuer.url}|ann"]`).waitFor();
  await begin(page);
  await question(page, /flight/i).waitFor();
  // The first token's end: from here on the gateway receives one of the same person that is over.
  await page.route("**", (route) => {
    const headers = route.request().headers();
    return route.continue(headers.authorization === `Bearer ${first}` ? { headers: { ...headers, authorization: `Bearer ${expired}` } } : {});
  });
  await show(page); // which asks for the list of plans
  await signIn(page, second);
  await pick(page, "KLM");
  await question(page, /hotel/i).waitFor();
});

const behindProxy = ["-auth", "header", "-auth-header", "X-Forwarded-User", "-auth-proxies"];

test("behind a proxy that knows who one is, the page says it, asks for nothing and has no way out", async (t) => {
  const { url } = await startGateway({ args: [...behindProxy, "127.0.0.1"] });
  const page = await openPlanner(t, url, { extraHTTPHeaders: { "X-Forwarded-User": "ann" } });
  await page.locator('[data-testid="person"][data-principal="header:ann"]').click();
  assert.match(await page.getByTestId("person-card").innerText(), /header:ann[^]*by the proxy/);
  assert.deepEqual([await page.getByTestId("sign-out").count(), await keyField(page).count()], [0, 0]);
  await page.keyboard.press("Escape");
  await begin(page);
  await question(page, /flight/i).waitFor();
});

test("where that proxy was gone around, or one has to sign in there first, a key would not help, and none is asked for", async (t) => {
  const page = await openPlanner(t, (await startGateway({ args: [...behindProxy, "127.0.0.2"] })).url);
  page.allow(/\b401\b/);
  await page.getByRole("dialog", { name: "You are signed out" }).waitFor();
  assert.equal(await keyField(page).count(), 0);
});

test("where nobody has to say who they are nothing is asked and nothing is kept", async (t) => {
  const page = await openPlanner(t, (await startGateway()).url);
  await begin(page);
  await question(page, /flight/i).waitFor();
  assert.deepEqual([await keyField(page).count(), await page.getByTestId("person").count()], [0, 0]);
  assert.equal(await page.evaluate(() => sessionStorage.getItem("session")), null);
});

test("a proxy that wants a person to sign in is not answered with a key: the page can be loaded anew, or gone on with", async (t) => {
  const page = await openAs(t, gateway, keys, "ann");
  await page.getByTestId("welcome").waitFor();
  const login = { status: 401, contentType: "text/html", body: "<h1>Sign in at example.org</h1>" };
  await page.route("**/agent/travel/run", (route) => route.fulfill(login), { times: 1 });
  await begin(page);
  await page.getByRole("dialog", { name: "You are signed out" }).waitFor();
  assert.equal(await keyField(page).count(), 0);
  await page.getByTestId("sign-in-reload").waitFor();
  await page.getByTestId("sign-in-retry").click();
  await question(page, /flight/i).waitFor();
});

test("who asks for too much waits as long as the gateway says, and the page says that it waits", async (t) => {
  const tight = await startGateway({ args: [...args, "-rate", "2", "-rate-burst", "3"] });
  const page = await openAs(t, tight, keys, "ann");
  page.allow(/\b429\b/);
  const busy = page.getByTestId("banner-busy");
  const refused = async () => (await ask(`${tight.url}/me`, withKey(tight, keys.ann))).status === 429;
  await until("the page to wait", async () => {
    await until("what ann may ask to be used up", refused); // by ann elsewhere
    await show(page); // which asks for the list of plans
    return busy.isVisible();
  });
  await begin(page);
  await question(page, /flight/i).waitFor();
  await busy.waitFor({ state: "detached" });
});

test("who tries key after key is told to wait", async (t) => {
  const tight = await startGateway({ args: [...args, "-rate", "1", "-rate-burst", "6"] });
  const page = await openPlanner(t, tight.url);
  page.allow(/\b401\b/);
  page.allow(/\b429\b/);
  const problem = page.getByTestId("sign-in-problem");
  const refused = async () => (await ask(`${tight.url}/me`, withKey(tight, crypto.randomUUID()))).status === 429;
  await until("the end of patience", async () => {
    await until("the tries to be used up", refused);
    await enter(page, crypto.randomUUID());
    await problem.filter({ hasText: /./ }).waitFor();
    return /too many tries. Wait 1 s/.test(await problem.innerText());
  });
});

test("who is known and may not use the gateway is told so, and not asked again and again", async (t) => {
  const page = await openPlanner(t, gateway.url, {
    prepare: async (page) => {
      const body = JSON.stringify({ error: { code: "forbidden", message: "This is not allowed." } });
      for (const path of ["/agents", "/me"]) await page.route(`**${path}`, (route) => route.fulfill({ status: 403, contentType: "application/json", body }));
    },
  });
  page.allow(/\b403\b/);
  await page.getByTestId("not-allowed").filter({ hasText: "You may not use this gateway" }).waitFor();
  assert.equal(page.problems.filter((problem) => /answer: 403 GET .*\/agents$/.test(problem)).length, 1);
});

looksTogether("how signing in looks", async (t, look) => {
  const page = await openPlanner(t, gateway.url, look.options);
  page.allow(/\b401\b/);
  const { stage, done } = camera(page, look);
  await enter(page, "not-a-key");
  await page.getByTestId("sign-in-problem").filter({ hasText: "is not accepted" }).waitFor();
  await stage("p1 sign in");
  await signIn(page, keys.ann);
  await begin(page);
  await question(page, /flight/i).waitFor();
  await page.getByTestId("person").click();
  await page.getByTestId("sign-out").waitFor();
  await stage("p2 who one is");
  await page.keyboard.press("Escape");
  write(["ben"]);
  t.after(() => write(["ann", "ben"]));
  await pick(page, "KLM");
  await page.getByTestId("sign-in-leave").waitFor();
  await stage("p3 again");
  done();
});
