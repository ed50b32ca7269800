// Files on the gateway's own page: attached in every way, refused clearly, shown again after a reload and in another tab, saved by
// their names, and never run.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { idle, say, thread as read } from "./lib/chat.mjs";
import { camera, looksTogether } from "./lib/looks.mjs";
import { notice, openPlanner, requestsOf, row, visitor } from "./lib/planner.mjs";
import { startGateway } from "./lib/servers.mjs";
import { gate, says, startTeller } from "./lib/teller.mjs";

/** A picture of one colour. */
function png(width, height, [r, g, b]) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([r, g, b]))])));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; k++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return ~sum >>> 0;
}

/** A second of silence. */
function wav() {
  const data = Buffer.alloc(8000, 128);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

const html = "<!doctype html><script>document.title = 'run'; alert(1)</script>";
const files = {
  sea: { name: "sea.png", mimeType: "image/png", buffer: png(320, 200, [30, 110, 180]) },
  sand: { name: "sand.png", mimeType: "image/png", buffer: png(120, 300, [220, 190, 120]) },
  notes: { name: "notes.md", mimeType: "", buffer: Buffer.from("# Notes\n") },
  sound: { name: "silence.wav", mimeType: "audio/wav", buffer: wav() },
  markup: { name: "page.html", mimeType: "text/html", buffer: Buffer.from(html) },
  liar: { name: "photo.png", mimeType: "image/png", buffer: Buffer.from(html) },
  plain: { name: "plain.txt", mimeType: "text/plain", buffer: Buffer.from("Plain.") },
  zip: { name: "all.zip", mimeType: "application/zip", buffer: Buffer.from("PK") },
  big: { name: "big.png", mimeType: "image/png", buffer: Buffer.alloc(70 * 1024, 1) },
};

const source = (file) => ({ type: "data", mimeType: file.mimeType, value: file.buffer.toString("base64") });
const busy = gate();
const teller = await startTeller({
  Wait: [busy.wait, ...says("I have finished.")],
  "A tool's picture": [
    { type: "TOOL_CALL_START", toolCallId: "call-1", toolCallName: "draw" },
    { type: "TOOL_CALL_ARGS", toolCallId: "call-1", delta: "{}" },
    { type: "TOOL_CALL_END", toolCallId: "call-1" },
    { type: "TOOL_CALL_RESULT", messageId: "result-1", toolCallId: "call-1", content: [{ type: "text", text: "Drawn." }, { type: "image", source: source(files.sea), metadata: { filename: "drawn.png" } }, { type: "document", source: source(files.plain), metadata: { filename: "plain.txt" } }, { type: "document", source: { type: "url", value: "https://example.com/far.pdf", mimeType: "application/pdf" }, metadata: { filename: "far.pdf" } }] },
    ...says("There it is."),
  ],
});

const gateway = await startGateway({
  team: `
version: 1
agents:
  viewer:
    type: script
    description: Looks at files
    attachments: { types: [ "image/*", "audio/*", "text/*" ], max_size: 64KiB, max_count: 3 }
    steps: [ { say: "Seen." } ]
  blind: { type: script, description: Takes no files, attachments: off, steps: [ { say: "Heard." } ] }
  teller: { type: agui, description: Tells stories, url: "${teller}", attachments: on }
`,
});

const visit = visitor(gateway.url);

/** A new conversation with an agent, on a page that open(t, place) opens: the page, with the thread's id as page.thread. */
async function opened(t, agent = "viewer", open = visit) {
  const thread = crypto.randomUUID();
  const page = await open(t, `#/t/${agent}/${thread}`);
  page.allow(/404/); // nobody has begun the thread that this names
  await page.getByTestId("welcome").waitFor();
  return Object.assign(page, { thread });
}

const attach = (page, ...chosen) => page.getByTestId("attach-input").setInputFiles(chosen);
const held = (page) => page.getByTestId("strip-file").locator(".file-name").allTextContents();
const send = (page) => page.locator('[data-testid="copilot-send-button"]:enabled').click();
const seen = async (page) => {
  await page.getByText("Seen.").first().waitFor();
  await idle(page);
};
const pictures = (page) => page.getByTestId("mine").getByRole("img");
/** Waits until so many pictures are drawn, and returns their names. */
async function drawn(page, count) {
  await page.waitForFunction((count) => {
    const all = [...document.querySelectorAll('[data-testid="mine"] .file-picture img')];
    return all.length === count && all.every(({ complete, naturalWidth }) => complete && naturalWidth > 0);
  }, count);
  return pictures(page).evaluateAll((images) => images.map(({ alt }) => alt));
}

/** Lets files come onto an element as a drop or from the clipboard. */
const bring = (target, how, ...brought) =>
  target.evaluate(
    (element, { how, brought }) => {
      const data = new DataTransfer();
      for (const { name, mimeType, bytes } of brought) data.items.add(new File([Uint8Array.from(bytes)], name, { type: mimeType }));
      const init = { bubbles: true, cancelable: true };
      if (how === "paste") element.dispatchEvent(new ClipboardEvent("paste", { ...init, clipboardData: data }));
      else for (const type of ["dragover", "drop"]) element.dispatchEvent(new DragEvent(type, { ...init, dataTransfer: data }));
    },
    { how, brought: brought.map(({ name, mimeType, buffer }) => ({ name, mimeType, bytes: [...buffer] })) },
  );

test("files are attached by a click, a drop and a paste, sent with the words, and there after a reload and in another tab", async (t) => {
  const page = await opened(t);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles([files.sea]);
  await bring(page.getByTestId("copilot-chat"), "drop", files.notes);
  await bring(page.getByTestId("copilot-chat-textarea"), "paste", files.sand);
  await page.getByTestId("strip-file").nth(2).waitFor();
  assert.deepEqual(await held(page), ["sea.png", "notes.md", "sand.png"]);
  await say(page, "Look");
  await seen(page);
  assert.equal(await page.getByTestId("strip").count(), 0);
  const { messages } = await read(gateway, page.thread, "viewer");
  assert.deepEqual(
    messages[0].content.map(({ type, text, source, metadata }) => text ?? [type, source.mimeType, metadata.filename]),
    ["Look", ["image", "image/png", "sea.png"], ["document", "text/markdown", "notes.md"], ["image", "image/png", "sand.png"]],
  );
  const other = await openPlanner(t, gateway.url, { context: page.context(), place: `#/t/viewer/${page.thread}` });
  await page.reload();
  for (const each of [page, other]) {
    await each.getByText("Seen.").waitFor();
    assert.deepEqual(await drawn(each, 2), ["sea.png", "sand.png"]);
    assert.equal(await each.getByTestId("mine").count(), 1, "one message, not a second copy");
    assert.match(await each.getByTestId("mine").locator(".file-card").innerText(), /notes\.md\s+Markdown, 8 bytes/);
  }
});

test("what was sent stays the same picture when the gateway's link takes the place of its bytes", async (t) => {
  const page = await opened(t);
  await attach(page, files.sea);
  await say(page, "Look");
  await drawn(page, 1);
  const before = await pictures(page).getAttribute("src");
  await pictures(page).evaluate((image) => (image.sameElement = true));
  await seen(page);
  assert.equal(await pictures(page).getAttribute("src"), before);
  assert.equal(await pictures(page).evaluate((image) => image.sameElement), true);
  const asked = requestsOf(t, page);
  await page.getByRole("button", { name: /regenerate/i }).click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="said"]').length === 1);
  await seen(page);
  const run = asked.find((request) => request.url().endsWith("/run"));
  assert.match(run.postDataJSON().messages[0].content[1].source.value, /^\/threads\//, "a link goes back, not the bytes");
  assert.deepEqual(await drawn(page, 1), ["sea.png"]);
});

test("a file alone is a message, sent by keyboard; files are removed by keyboard, and the focus goes on", async (t) => {
  const page = await opened(t);
  await attach(page, files.sea, files.notes, files.sand);
  await page.getByRole("button", { name: "Remove notes.md" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Remove sand.png");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Remove sea.png");
  assert.deepEqual(await held(page), ["sea.png"]);
  await page.getByTestId("copilot-chat-textarea").focus();
  await page.keyboard.press("Enter");
  await seen(page);
  assert.deepEqual(await drawn(page, 1), ["sea.png"]);
  await attach(page, files.notes);
  await page.getByRole("button", { name: "Remove notes.md" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "attach");
});

test("type, size and number are checked before anything is sent", async (t) => {
  const page = await opened(t);
  const asked = requestsOf(t, page);
  await attach(page, files.zip, files.big, files.sea);
  await page.getByText(/“all\.zip” is of a type that this agent does not take\. It takes pictures, sound and text\./).waitFor();
  await page.getByText(/“big\.png” has 70 KB\. A file may have 64 KB at most\./).waitFor();
  assert.deepEqual(await held(page), ["sea.png"]);
  await attach(page, files.sand, files.notes, files.sound);
  await page.getByText("A message may have 3 files: 1 more was left out.").waitFor();
  assert.deepEqual(await held(page), ["sea.png", "sand.png", "notes.md"]);
  assert.deepEqual(asked.map((request) => request.url()).filter((url) => url.endsWith("/run")), [], "nothing is sent");
});

test("HTML that says it is a picture is refused by the gateway, and words and files stay in the field", async (t) => {
  const page = await opened(t);
  page.allow(/422/);
  await attach(page, files.sea, files.liar);
  await say(page, "Look at this");
  await notice(page, "invalid_attachment").waitFor();
  const refused = page.locator('[data-testid="strip-file"][data-refused]');
  await refused.getByText("It is not of the type that it declares.").waitFor();
  assert.match(await refused.innerText(), /photo\.png/);
  assert.deepEqual(await held(page), ["sea.png", "photo.png"]);
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Look at this");
  assert.equal(await page.getByTestId("mine").count(), 0);
  await page.getByRole("button", { name: "Remove photo.png" }).click();
  await send(page);
  await seen(page);
  assert.deepEqual(await drawn(page, 1), ["sea.png"]);
  assert.notEqual(await page.title(), "run");
});

test("a message that is too large for the way to the gateway stays in the field", async (t) => {
  const page = await opened(t);
  page.allow(/413/);
  await page.route("**/run", (route) => route.fulfill({ status: 413, body: "too large" }), { times: 1 });
  await attach(page, files.sea);
  await say(page, "Look");
  await page.getByText("This is too large for the gateway.").waitFor();
  await page.getByTestId("strip-file").waitFor();
  assert.deepEqual(await held(page), ["sea.png"]);
  assert.equal(await page.getByTestId("copilot-chat-textarea").inputValue(), "Look");
  await send(page);
  await seen(page);
});

test("files wait until the agent has finished, and Enter does not stop it", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "Wait");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await attach(page, files.sea);
  await page.getByTestId("copilot-chat-textarea").focus();
  await page.keyboard.press("Enter");
  await page.getByText("Files can be sent when the agent has finished. They stay here.").waitFor();
  busy.open();
  await page.getByText("I have finished.").waitFor();
  await idle(page);
  await page.keyboard.press("Enter");
  assert.deepEqual(await drawn(page, 1), ["sea.png"]);
  await idle(page);
});

test("files that wait are there again when one comes back to the thread", async (t) => {
  const page = await opened(t);
  await say(page, "First");
  await seen(page);
  await attach(page, files.sea);
  await page.getByTestId("strip-file").waitFor();
  await page.goto(`${gateway.url}/#/t/viewer/${crypto.randomUUID()}`);
  await page.getByTestId("welcome").waitFor();
  assert.equal(await page.getByTestId("strip").count(), 0);
  await row(page, page.thread).getByRole("link").or(row(page, page.thread).getByRole("button")).first().click();
  await page.getByTestId("strip-file").waitFor();
  assert.deepEqual(await held(page), ["sea.png"]);
});

test("files are saved by their names and with their bytes; what a browser could run has no type", async (t) => {
  const page = await opened(t);
  await attach(page, files.markup, files.sound);
  await say(page, "Keep");
  await seen(page);
  await page.reload();
  await page.getByText("Seen.").waitFor();
  for (const file of [files.markup, files.sound]) {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: `Download ${file.name}` }).click();
    const saved = await download;
    assert.equal(saved.suggestedFilename(), file.name);
    assert.deepEqual(await readFile(await saved.path()), file.buffer);
  }
  await page.getByText("Seen.").waitFor();
  assert.notEqual(await page.title(), "run");
});

test("sound plays where it is", async (t) => {
  const page = await opened(t);
  await attach(page, files.sound);
  await say(page, "Listen");
  await seen(page);
  await page.getByRole("button", { name: "Play silence.wav" }).click();
  await page.waitForFunction(() => document.querySelector("audio")?.duration === 1);
});

test("a picture is shown whole on a click, by keyboard too, and says so if it cannot be loaded", async (t) => {
  const page = await opened(t);
  await attach(page, files.sea);
  await say(page, "Look");
  await seen(page);
  const button = page.getByRole("button", { name: "Show sea.png in full size" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByTestId("file-whole").getByRole("img", { name: "sea.png" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByTestId("file-whole").waitFor({ state: "hidden" });
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "file-picture");
  page.allow(/503/);
  await page.route("**/files/*", (route) => route.fulfill({ status: 503, body: "" }));
  await page.reload();
  await page.getByTestId("file-failed").getByText("The gateway answered 503.").waitFor();
  assert.match(await page.getByTestId("file-failed").innerText(), /sea\.png/);
});

test("the files of a tool's result are shown, after a reload too", async (t) => {
  const page = await opened(t, "teller");
  await say(page, "A tool's picture");
  await page.getByText("There it is.").waitFor();
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    const call = page.getByTestId("tool-call");
    await call.getByRole("img", { name: "drawn.png" }).waitFor();
    await call.getByText("text, 6 bytes").waitFor();
    assert.equal(await call.getByRole("link", { name: /far\.pdf/ }).getAttribute("rel"), "noreferrer noopener", "what is elsewhere is not loaded");
    await call.locator("summary").click();
    await call.getByText("Drawn.").waitFor();
  }
});

test("an agent that takes no files has no button, and a file that is dropped does not take the page away", async (t) => {
  const page = await opened(t, "blind");
  assert.equal(await page.getByTestId("attach").count(), 0);
  await bring(page.getByTestId("copilot-chat"), "drop", files.sea);
  await page.getByText("This agent takes no files.").waitFor();
  await say(page, "Hello");
  await page.getByText("Heard.").waitFor();
});

looksTogether("files that wait, and files in a conversation", async (t, look) => {
  const page = await opened(t, "viewer", (t, place) => openPlanner(t, gateway.url, { place, ...look.options }));
  const { stage, done } = camera(page, look, "files");
  await attach(page, files.sea, files.notes, files.sound);
  await page.getByTestId("strip-file").nth(2).waitFor();
  await stage("1 waiting", { end: false });
  await say(page, "Look at all of these");
  await seen(page);
  await drawn(page, 1);
  await stage("2 sent", { end: false });
  await page.getByTestId("file-picture").click();
  await stage("3 whole", { end: false });
  await page.getByRole("button", { name: "Close", exact: true }).click();
  done();
});
