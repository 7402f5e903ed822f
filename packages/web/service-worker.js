/*
 * Lets the page open while the gateway is not running, so that it can say so itself instead of the browser.
 *
 * The page always comes from the gateway when there is one: what is kept is only ever used when nobody answers, so a
 * new build is seen at once and nothing can get stuck. Files below `assets/` have their content's hash in their name and
 * never change. Whatever is not the page itself, the API above all, is not even looked at.
 *
 * There is deliberately no `skipWaiting`: the files a tab was opened with stay until that tab is closed.
 *
 * The build puts `BUILD` before this text: {version, files}, the files relative to this script.
 */
const HOME = new URL("./", self.location.href);
/** With the path, because another Caret may be served below another path of the same origin. */
const PREFIX = `caret-page:${HOME.pathname}:`;
const CACHE = PREFIX + BUILD.version;
const ASSETS = new URL("./assets/", self.location.href);
const KEPT = new Set(BUILD.files.map((file) => new URL(file, HOME).href));
const PROXY_WITHOUT_GATEWAY = new Set([502, 503, 504]);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...KEPT].map(fresh))));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldCaches());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  url.hash = "";
  url.search = "";
  if (url.origin !== HOME.origin) return;
  if (request.mode === "navigate") {
    if (url.href === HOME.href) event.respondWith(openPage(request));
  } else if (url.href.startsWith(ASSETS.href)) event.respondWith(openAsset(request));
  else if (KEPT.has(url.href)) event.respondWith(openOther(request, url));
});

/*
 * A notification's buttons. The page decides, which has the credential: this script never has it. Without a page, and for a
 * press beside the buttons, the session is opened.
 */
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(answerNotification(event.action, event.notification.data ?? {}));
});

async function answerNotification(action, { sessionId, kind, requestId, question, shownAt }) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ url }) => url.startsWith(HOME.href));
  if (page !== undefined && requestId !== undefined && action !== "")
    return page.postMessage({ kind, sessionId, requestId, action, shownAt });
  const asked = question === undefined ? "" : `?question=${encodeURIComponent(question)}`;
  if (page === undefined) return self.clients.openWindow(`${HOME.href}${asked}#/s/${sessionId}`);
  page.postMessage({ kind: "open", sessionId, question });
  return page.focus();
}

/** Past the browser's own cache: this must be what this build consists of. */
function fresh(url) {
  return new Request(url, { cache: "reload" });
}

async function openPage(request) {
  try {
    const answer = await fetch(request);
    if (!PROXY_WITHOUT_GATEWAY.has(answer.status)) return answer;
    return (await kept(HOME.href)) ?? answer;
  } catch (error) {
    const page = await kept(HOME.href);
    if (page !== undefined) return page;
    throw error;
  }
}

async function openAsset(request) {
  const found = await kept(request.url);
  if (found !== undefined) return found;
  const answer = await fetch(request);
  if (answer.ok) keep(request.url, answer.clone());
  return answer;
}

async function openOther(request, url) {
  try {
    return await fetch(request);
  } catch (error) {
    const found = await kept(url.href);
    if (found !== undefined) return found;
    throw error;
  }
}

function keep(url, answer) {
  // A full disk costs the offline page one file; the tab that asked has its answer.
  caches
    .open(CACHE)
    .then((cache) => cache.put(url, answer))
    .catch(() => {});
}

async function kept(url) {
  const cache = await caches.open(CACHE);
  return cache.match(url, { ignoreVary: true });
}

async function dropOldCaches() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}
