// DPoP (RFC 9449): tokens are bound to a key that no script can take out of this browser.

import { keep, read } from "./kept.js";

export const base64url = bytes =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
export const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const utf8 = text => new TextEncoder().encode(text);
export const sha256 = async text => base64url(await crypto.subtle.digest("SHA-256", utf8(text)));

const P256 = { name: "ECDSA", namedCurve: "P-256" };

/** The key pair of this browser; made once, `extractable: false`. */
async function keyPair() {
  return navigator.locks.request("key", async () => {
    const known = await read("key");
    if (known) return known;
    const made = await crypto.subtle.generateKey(P256, false, ["sign"]);
    await keep("key", made);
    return made;
  });
}

async function publicKey() {
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", (await keyPair()).publicKey);
  return { kty, crv, x, y };
}

/** RFC 7638: names of members in their order, without blanks. */
export async function thumbprint() {
  const { kty, crv, x, y } = await publicKey();
  return sha256(JSON.stringify({ crv, kty, x, y }));
}

async function proof(method, url, token, nonce) {
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: await publicKey() };
  const { origin, pathname } = new URL(url);
  const claims = { htm: method, htu: origin + pathname, iat: Math.floor(Date.now() / 1000), jti: random() };
  if (token) claims.ath = await sha256(token);
  if (nonce) claims.nonce = nonce;
  const text = [header, claims].map(part => base64url(utf8(JSON.stringify(part)))).join(".");
  const { privateKey } = await keyPair();
  return `${text}.${base64url(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, utf8(text)))}`;
}

const nonces = new Map();

/** `fetch` with a proof, and with `token` where there is one. Asks once more where the server wants a nonce (8 and 9). */
export async function fetchWithProof(url, { token, ...options } = {}) {
  const { origin } = new URL(url), method = options.method ?? "GET";
  for (let again = true; ; again = false) {
    const headers = new Headers(options.headers);
    headers.set("DPoP", await proof(method, url, token, nonces.get(origin)));
    if (token) headers.set("Authorization", `DPoP ${token}`);
    const answer = await fetch(url, { ...options, headers, credentials: "omit", cache: "no-store" });
    const nonce = answer.headers.get("DPoP-Nonce");
    if (nonce) nonces.set(origin, nonce);
    if (!again || !nonce || !(await wantsNonce(answer))) return answer;
  }
}

async function wantsNonce(answer) {
  if (answer.status === 401) return (answer.headers.get("WWW-Authenticate") ?? "").includes("use_dpop_nonce");
  if (answer.status !== 400) return false;
  return (await answer.clone().json().catch(() => ({}))).error === "use_dpop_nonce";
}
