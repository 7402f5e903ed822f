import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { createPageData, type PageData } from "./data/create-page-data.ts";
import { PageDataProvider } from "./data/page-data-context.tsx";
import { browserEnvironment } from "./data/page-environment.ts";
import { registerServiceWorker } from "./offline/register-service-worker.ts";
import { SessionScreen } from "./shell/screens.tsx";
import { takeSignInCode } from "./shell/sign-in-screen.tsx";
import { startTheme } from "./shell/theme.ts";
import { takeWantedQuestion } from "./transcript/wanted-question.ts";
import "./styles.css";

/** A link from the terminal may be opened as the page, or pasted into the address of one that is open. */
function start(data: PageData): void {
  takeWantedQuestion();
  const code = takeSignInCode();
  // Prefetch in parallel with the sign-in check. Errors surface when the screen renders.
  if (location.hash.startsWith("#/s/")) SessionScreen.fetch().catch(() => undefined);
  // Never rejects: what went wrong is shown.
  if (code !== undefined) void data.signIn(code);
  else data.start();
  addEventListener("hashchange", () => {
    const pasted = takeSignInCode();
    if (pasted !== undefined) void data.signIn(pasted);
  });
  addEventListener("storage", ({ key }) => {
    if (key === data.pageKeyName) data.start();
  });
  addEventListener("online", data.api.retryNow);
  document.addEventListener("visibilitychange", data.api.retryNow);
}

const root = document.getElementById("root");
if (root !== null) {
  startTheme();
  const data = createPageData(browserEnvironment());
  start(data);
  createRoot(root).render(
    <StrictMode>
      <PageDataProvider data={data}>
        <App />
      </PageDataProvider>
    </StrictMode>,
  );
  registerServiceWorker();
}
