// OpenID Connect for a page without a server: code with PKCE, refresh, logout. Nothing here knows of buttons.

import { forget, keep, read } from "./kept.js";
import { fetchWithProof, random, sha256, thumbprint } from "./proof.js";

const { issuer, client } = document.documentElement.dataset;
const home = location.origin + location.pathname;
const scope = "openid profile email discovery";

/** What a server refuses with, by its code of OAuth. */
export class Refused extends Error {
  constructor(status, { error, error_description: why } = {}) {
    super(`${status} ${error ?? ""}: ${why ?? ""}`);
    this.code = error;
  }
}

async function answered(answer) {
  const body = (await answer.text()) || "{}";
  const json = await Promise.resolve(body).then(JSON.parse).catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, json);
  return json;
}

let found;
async function metadata() {
  found ??= await answered(await fetch(`${issuer}/.well-known/openid-configuration`, { credentials: "omit" }));
  if (found.issuer !== issuer) throw new Error(`${issuer} says that it is ${found.issuer}`);
  return found;
}

// Login

/** Leaves for the login page. What is needed on the way back stays in this tab. */
export async function logIn() {
  const [state, verifier, nonce] = [random(), random(), random()];
  sessionStorage.setItem(state, JSON.stringify({ verifier, nonce }));
  const question = new URL((await metadata()).authorization_endpoint);
  question.search = new URLSearchParams({
    response_type: "code", client_id: client, redirect_uri: home, scope, state, nonce,
    code_challenge: await sha256(verifier), code_challenge_method: "S256", dpop_jkt: await thumbprint(),
  });
  location.assign(question);
}

/** Back from the login page: whether this page was opened with its answer. The answer leaves the address at once. */
export async function comeBack() {
  const answer = new URLSearchParams(location.search), state = answer.get("state");
  if (!state) return false;
  history.replaceState(null, "", home);
  const begun = JSON.parse(sessionStorage.getItem(state) ?? "null");
  sessionStorage.removeItem(state);
  // A state that this tab did not make is somebody else's answer (RFC 9700, 4.7), or that of a logout.
  if (!begun) return false;
  if (answer.get("iss") !== issuer) throw new Error("another server than the one that was asked has answered");
  if (answer.has("error")) throw new Refused("login", Object.fromEntries(answer));
  await redeem(answer.get("code"), begun.verifier, begun.nonce);
  return true;
}

export async function redeem(code, verifier, nonce) {
  const tokens = await token({ grant_type: "authorization_code", code, redirect_uri: home, code_verifier: verifier });
  checkIDToken(tokens.id_token, nonce);
  await keepTokens(tokens);
}

/** It came from the token endpoint over TLS, so its signature need not be looked at (OpenID Connect Core, 3.1.3.7). */
function checkIDToken(text, nonce) {
  const payload = Uint8Array.from(atob(text.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(payload));
  const good = claims.iss === issuer && [claims.aud].flat().includes(client) && claims.exp > Date.now() / 1000 - 60;
  if (!good || claims.nonce !== nonce) throw new Error("the ID token is not for this login");
}

// Tokens

async function token(parameters) {
  const body = new URLSearchParams({ client_id: client, ...parameters });
  return answered(await fetchWithProof((await metadata()).token_endpoint, { method: "POST", body }));
}

async function keepTokens(tokens, before = {}) {
  if (tokens.token_type !== "DPoP") throw new Error("the token is not bound to the key of this browser");
  await keep("tokens", { ...before, ...tokens, ends: Date.now() + 1000 * tokens.expires_in });
}

export const isLoggedIn = async () => (await read("tokens")) !== undefined;

/** One tab after the other: a refresh token is good once. */
export function refresh(isNeeded = () => true) {
  return navigator.locks.request("refresh", async () => {
    const known = await read("tokens");
    if (!known || !isNeeded(known)) return;
    try {
      await keepTokens(await token({ grant_type: "refresh_token", refresh_token: known.refresh_token }), known);
    } catch (error) {
      // Only this says that the login is over; all else may be tried again.
      if (error.code === "invalid_grant") await forget("tokens");
      throw error;
    }
  });
}

/** Calls an API with the access token, refreshed where it ends within a minute, or has been ended. */
export async function call(url, options = {}) {
  await refresh(known => known.ends < Date.now() + 60_000);
  for (let again = true; ; again = false) {
    const known = await read("tokens");
    if (!known) throw new Error("nobody is logged in");
    try {
      return await answered(await fetchWithProof(url, { ...options, token: known.access_token }));
    } catch (error) {
      if (!again || error.code !== "invalid_token") throw error;
      await refresh(({ access_token }) => access_token === known.access_token);
    }
  }
}

export const userInfo = async () => call((await metadata()).userinfo_endpoint);

/** Services of the federation that offer all of these protocols. */
export const services = (...protocols) => call(`${issuer}/protocol-discovery`, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(protocols),
});

// Logout

/** Ends the tokens here and at the server, then leaves to end the session there, too (RP-Initiated Logout). */
export async function logOut() {
  const { revocation_endpoint, end_session_endpoint } = await metadata(), known = await read("tokens");
  const body = new URLSearchParams({ client_id: client, token: known.refresh_token });
  // The session's end takes the tokens with it, whatever becomes of this.
  await call(revocation_endpoint, { method: "POST", body }).catch(() => {});
  await forget("tokens");
  const question = new URL(end_session_endpoint);
  question.search = new URLSearchParams({ id_token_hint: known.id_token, client_id: client, post_logout_redirect_uri: home, state: "bye" });
  location.assign(question);
}
