// The event streams that a page received, byte for byte.

/**
 * Listens to a page from before its first script. Returns the list of its streams, which grows: {url, body, text, ended},
 * where body is what was posted and ended is set when all of it has come.
 */
export async function listen(page) {
  const streams = [];
  const byId = new Map();
  await page.exposeBinding("reportStream", (_, { id, url, body, piece, ended }) => {
    let stream = byId.get(id);
    if (stream === undefined) {
      stream = { url, body: parsed(body), text: "", ended: false };
      byId.set(id, stream);
      streams.push(stream);
    }
    if (piece !== undefined) stream.text += piece;
    if (ended) stream.ended = true;
  });
  await page.addInitScript(overhear);
  return streams;
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

// Runs in the page. The response is passed through, so that the page reads, cancels and aborts as ever.
function overhear() {
  const original = window.fetch;
  window.fetch = async (input, init) => {
    const response = await original(input, init);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream") || response.body === null) return response;
    const about = { id: crypto.randomUUID(), url: response.url, body: init?.body };
    const decoder = new TextDecoder();
    window.reportStream(about);
    const through = new TransformStream({
      transform(chunk, out) {
        window.reportStream({ ...about, piece: decoder.decode(chunk, { stream: true }) });
        out.enqueue(chunk);
      },
      flush() {
        window.reportStream({ ...about, ended: true });
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(through), { status, statusText, headers });
  };
}
