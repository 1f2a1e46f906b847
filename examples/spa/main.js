// The page: buttons and what they show. Text is set as text, never as HTML.

import { comeBack, isLoggedIn, logIn, logOut, refresh, services, userInfo } from "./login.js";

const element = id => document.getElementById(id);

function show(status, facts = {}) {
  element("status").textContent = status;
  element("facts").replaceChildren(...Object.entries(facts).map(([name, value]) => {
    const row = document.createElement("div"), term = document.createElement("dt"), told = document.createElement("dd");
    term.textContent = name;
    told.textContent = value;
    row.append(term, told);
    return row;
  }));
}

async function greet(status = "You are logged in.") {
  const isIn = await isLoggedIn();
  for (const id of ["ask", "services", "refresh", "logout"]) element(id).hidden = !isIn;
  element("login").hidden = isIn;
  if (!isIn) return show("Nobody is logged in.");
  const { name, email, sub } = await userInfo();
  show(status, { Name: name ?? "", "E-mail": email ?? "", "Known here as": sub });
}

/** What goes wrong is said, and the page goes on. */
const guarded = work => () => work().catch(async error => {
  await greet().catch(() => {});
  show(`That did not work. ${error.message}`);
});

const buttons = {
  login: logIn,
  logout: logOut,
  ask: greet,
  refresh: async () => { await refresh(); await greet("The tokens are fresh."); },
  services: async () => {
    const found = await services("ch.pando.viewer");
    show(`${found.length} found.`, Object.fromEntries(found.map((service, index) => [`Service ${index + 1}`, service.engineName ?? JSON.stringify(service)])));
  },
};
for (const [id, work] of Object.entries(buttons)) element(id).addEventListener("click", guarded(() => work()));

guarded(async () => { await comeBack(); await greet(); })();
