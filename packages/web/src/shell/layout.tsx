import { LONGEST_WAIT_MS } from "@caret/protocol";
import { Menu, Search } from "lucide-react";
import { type ReactNode, Suspense, useEffect, useMemo, useState } from "react";
import { Link, useLocation, useRoute } from "wouter";
import { usePageData } from "../data/page-data-context.tsx";
import { useConnection, usePageState } from "../data/page-hooks.ts";
import { Duration } from "../parts/duration.tsx";
import { Spinner } from "../parts/placeholders.tsx";
import { Toasts } from "../parts/toast.tsx";
import { type Destination, newSessionRoute, sessionsRoute, WaitingCount } from "../screen/nav-link.tsx";
import { ScreenBoundary } from "../screen/screen-boundary.tsx";
import { RenameDialog } from "../sessions/rename-dialog.tsx";
import { MoreDialog } from "./more-dialog.tsx";
import { ImportDialog, ModelDialog, Palette, PhoneDialog, ShortcutsDialog } from "./screens.tsx";
import { type Overlay, ShellActionsContext, useShellActions } from "./shell-actions.ts";
import { shortcutFor } from "./shortcuts.ts";
import { Sidebar } from "./sidebar.tsx";

const look =
  "relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-[11px] text-soft aria-[current=page]:text-accent";

/** The frame of every screen: navigation beside it on a wide screen, below it on a phone; there a session has all the height. */
export function Layout({ children }: { readonly children: ReactNode }) {
  const [overlay, setOverlay] = useState<Overlay>();
  const [route, navigate] = useLocation();
  const actions = useMemo(() => ({ show: setOverlay }), []);
  useShortcuts(setOverlay, navigate);
  const isSession = /^\/s\/[^/]+(?:\/replay|\/at\/\d+)?$/.test(route);
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
          <ConnectionNote />
          <main className="min-h-0 flex-1 overflow-y-auto outline-none" id="screen" tabIndex={-1}>
            {/* Keyed by the route, so that a broken screen does not break the next one. */}
            <ScreenBoundary key={route}>
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
  if (overlay === "phone") return <PhoneDialog onClose={onClose} />;
  if (overlay === "rename" || overlay === "model") return <OpenSessionDialog dialog={overlay} onClose={onClose} />;
  return null;
}

interface OpenSessionDialogProps {
  readonly dialog: "rename" | "model";
  readonly onClose: () => void;
}

/** A dialog about the session in the address. */
function OpenSessionDialog({ dialog, onClose }: OpenSessionDialogProps) {
  const [, params] = useRoute<{ readonly id: string }>("/s/:id/*?");
  const session = usePageState(({ sessions }) => sessions.get(params?.id ?? ""));
  if (session === undefined) return null;
  const Shown = dialog === "rename" ? RenameDialog : ModelDialog;
  return <Shown onClose={onClose} session={session} />;
}

function useShortcuts(show: (overlay: Overlay) => void, navigate: (route: string) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const shortcut = shortcutFor(event);
      if (shortcut === undefined) return;
      event.preventDefault();
      if (shortcut.kind === "go") navigate(shortcut.route);
      if (shortcut.kind === "show") show(shortcut.overlay);
      if (shortcut.kind === "focus") document.querySelector<HTMLElement>(shortcut.selector)?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [show, navigate]);
}

/** Says that what is shown may be old, as long as it may be. */
function ConnectionNote() {
  const line = useConnection();
  const { api } = usePageData();
  return (
    <div aria-live="polite">
      {line.state === "reconnecting" && (
        <div className="flex min-h-10 items-center gap-2 border-warn/40 border-b bg-warn/10 px-4 text-[13px] text-warn md:min-h-8">
          <Spinner />
          <span className="min-w-0 flex-1 truncate">
            Disconnected for <Duration since={line.since} />; trying every {LONGEST_WAIT_MS / 1000} s
            <span className="hidden sm:inline"> · what you see may be out of date</span>
          </span>
          <button className="font-medium underline underline-offset-2" onClick={api.retryNow} type="button">
            Try now
          </button>
        </div>
      )}
    </div>
  );
}

/** The way around on a phone, within reach of a thumb. */
function PhoneBar() {
  const { show } = useShellActions();
  return (
    <nav aria-label="Main" className="flex border-line border-t bg-panel pb-[env(safe-area-inset-bottom)] md:hidden">
      <BarLink extra={<WaitingCount />} route={sessionsRoute} />
      <BarLink route={newSessionRoute} />
      <button className={look} onClick={() => show("palette")} type="button">
        <Search aria-hidden="true" size={18} />
        Search
      </button>
      <button className={look} onClick={() => show("more")} type="button">
        <Menu aria-hidden="true" size={18} />
        More
      </button>
    </nav>
  );
}

function BarLink({ route, extra }: { readonly route: Destination; readonly extra?: ReactNode }) {
  const [isHere] = useRoute(route.href);
  return (
    <Link aria-current={isHere ? "page" : undefined} className={look} href={route.href}>
      {route.icon}
      {route.label}
      {extra !== undefined && <span className="absolute top-1 left-[calc(50%+0.5rem)]">{extra}</span>}
    </Link>
  );
}
