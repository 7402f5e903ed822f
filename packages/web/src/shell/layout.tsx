import { type ReactNode, Suspense, useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { Spinner } from "../parts/spinner.tsx";
import { Toasts } from "../parts/toast.tsx";
import { LineNote } from "./line-note.tsx";
import { MoreDialog } from "./more-dialog.tsx";
import { PhoneBar } from "./phone-bar.tsx";
import { PhoneTop } from "./phone-top.tsx";
import { ScreenBoundary } from "./screen-boundary.tsx";
import { ImportDialog, Palette, ShortcutsDialog } from "./screens.tsx";
import { type Overlay, ShellActionsContext } from "./shell-actions.ts";
import { shortcutFor } from "./shortcuts.ts";
import { Sidebar } from "./sidebar.tsx";

/** The frame of every screen: navigation beside it on a desk, above or below it on a phone. */
export function Layout({ children }: { readonly children: ReactNode }) {
  const [overlay, setOverlay] = useState<Overlay>();
  const [place, navigate] = useLocation();
  const actions = useMemo(() => ({ show: setOverlay }), []);
  useShortcuts(setOverlay, navigate);
  const isSession = place.startsWith("/s/");
  return (
    <ShellActionsContext value={actions}>
      <button
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:p-2"
        onClick={() => document.getElementById("screen")?.focus()}
        type="button"
      >
        Skip to content
      </button>
      <div className="flex h-full">
        <Sidebar />
        <div className="flex min-w-0 flex-1 flex-col">
          <LineNote />
          {isSession && <PhoneTop />}
          <main className="min-h-0 flex-1 overflow-y-auto outline-none" id="screen" tabIndex={-1}>
            {/* Keyed by the place, so that a broken screen does not break the next one. */}
            <ScreenBoundary key={place}>
              <Suspense fallback={<Loading />}>{children}</Suspense>
            </ScreenBoundary>
          </main>
          {!isSession && <PhoneBar />}
        </div>
      </div>
      <Suspense>
        <OpenOverlay onClose={() => setOverlay(undefined)} overlay={overlay} />
      </Suspense>
      <Toasts />
    </ShellActionsContext>
  );
}

function Loading() {
  return (
    <p className="flex items-center justify-center gap-2 p-8 text-soft" role="status">
      <Spinner /> Loading…
    </p>
  );
}

function OpenOverlay({ overlay, onClose }: { readonly overlay: Overlay | undefined; readonly onClose: () => void }) {
  if (overlay === "palette") return <Palette onClose={onClose} />;
  if (overlay === "shortcuts") return <ShortcutsDialog onClose={onClose} />;
  if (overlay === "import") return <ImportDialog onClose={onClose} />;
  if (overlay === "more") return <MoreDialog onClose={onClose} />;
  return null;
}

function useShortcuts(show: (overlay: Overlay) => void, navigate: (place: string) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const shortcut = shortcutFor(event);
      if (shortcut === undefined) return;
      event.preventDefault();
      if (shortcut.kind === "go") navigate(shortcut.place);
      if (shortcut.kind === "show") show(shortcut.overlay);
      if (shortcut.kind === "focus") document.querySelector<HTMLElement>(shortcut.selector)?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [show, navigate]);
}
