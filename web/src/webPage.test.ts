import { expect, it } from "vitest";
import { webPage } from "./webPage";

it.each([
  ["https://shop.example:8443/a?b#c", "shop.example:8443"],
  ["HTTP://shop.example@evil.example/", "evil.example"],
  ["http://[", undefined],
  ["javascript:alert(1)", undefined],
  ["/threads", undefined],
  [7, undefined],
])("the host of %s is %s", (address, host) => expect(webPage(address)?.host).toBe(host));
