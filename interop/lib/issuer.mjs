// An issuer of tokens, as an OpenID provider is one: its discovery document, its key, and tokens that it has signed.

import { createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { after } from "node:test";

/**
 * Starts an issuer, and stops it when the test file is over. Returns {url, args, token(sub, seconds)}: args are the gateway's flags
 * for it, token is one of somebody that is good for so many seconds.
 */
export async function startIssuer() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const server = createServer((request, response) => {
    const found = {
      "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
      "/keys": { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig", alg: "RS256" }] },
    }[request.url];
    response.writeHead(found ? 200 : 404, { "Content-Type": "application/json" }).end(JSON.stringify(found ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = (sub, seconds) => {
    const now = Math.floor(Date.now() / 1000);
    const signed = `${part({ alg: "RS256", kid: "1", typ: "JWT" })}.${part({ iss: url, aud: "gateway", sub, iat: now, exp: now + seconds })}`;
    return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
  };
  return { url, token, args: ["-auth", "jwt", "-jwt-issuer", url, "-jwt-audience", "gateway", "-jwt-leeway", "0s"] };
}
