/** Lets the page open later without a gateway. Costs the first load nothing: it begins when everything is there. */
export function registerServiceWorker(): void {
  if (!(import.meta.env.PROD && "serviceWorker" in navigator)) return;
  const register = (): void => {
    // Browsers refuse where the page is not served securely (plain http from another machine). All else works there.
    navigator.serviceWorker.register(new URL("./service-worker.js", document.baseURI)).catch(() => undefined);
  };
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}
