// A bad network: a TCP proxy before the gateway that cuts answers at chosen bytes, and sometimes answers itself.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { after } from "node:test";

/** Where to cut an answer: so many bytes behind the n-th time that the text is in it; undefined if it is not yet. */
export const behind = (text, { nth = 1, bytes = 0 } = {}) => (answer) => {
  let at = -1;
  for (let i = 0; i < nth; i++) {
    at = answer.indexOf(text, at + 1);
    if (at < 0) return undefined;
  }
  return at + text.length + bytes;
};

/** Where to cut an answer: right before the text. */
export const before = (text) => behind(text, { bytes: -text.length });

/**
 * Starts a proxy before the server that its `gateway` is set to, and stops it when the test file is over: before the
 * gateway, if that is started later.
 *
 * Each request for events, a run's or a thread's, takes the next of cuts; each for a thread's events takes the next of
 * answers, which goes out instead of the gateway's. rewrite changes what is asked.
 */
export async function startProxy() {
  const open = new Set();
  const proxy = {
    gateway: undefined,
    requests: [],
    reset() {
      Object.assign(proxy, { requests: [], cuts: [], answers: [], rewrite: (request) => request });
    },
    /** Closes every connection, as a load balancer does with idle ones. */
    hangUp() {
      for (const socket of open) socket.resetAndDestroy();
    },
    /** The requests so far, as "POST /agents/travel". */
    get asked() {
      return proxy.requests.map((request) => /^(\w+ [^ ?]+)/.exec(request)[1]);
    },
  };
  proxy.reset();

  const server = createServer((client) => {
    const server = connect(Number(new URL(proxy.gateway.url).port), "127.0.0.1");
    let cut, answer;
    for (const [socket, other] of [[client, server], [server, client]]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => (open.delete(socket), other.destroy()));
    }
    client.on("data", (data) => {
      const request = data.toString("latin1");
      if (/^[A-Z]+ \//.test(request)) {
        proxy.requests.push(request);
        answer = "";
        cut = /^POST \/agents|^GET [^ ]+\/events/.test(request) ? proxy.cuts.shift() : undefined;
        if (/^GET [^ ]+\/events/.test(request) && proxy.answers.length > 0) return void client.end(proxy.answers.shift());
      }
      server.write(proxy.rewrite(request), "latin1");
    });
    server.on("data", (data) => {
      answer += data.toString("latin1");
      const at = cut?.(answer);
      if (at === undefined || at > answer.length) return void client.write(data);
      // What was due before the cut arrives, and then nothing.
      client.write(answer.slice(answer.length - data.length, at), "latin1", () => client.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    proxy.hangUp();
    server.close();
  });
  proxy.url = `http://127.0.0.1:${server.address().port}`;
  return proxy;
}
