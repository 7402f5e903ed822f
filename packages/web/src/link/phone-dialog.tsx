import { useMemo } from "react";
import { useApi } from "../data/page-hooks.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { qrCode } from "../qr/qr-code.ts";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";

/** A link that signs another browser in, as a code for a phone's camera. */
export function PhoneDialog({ onClose }: { readonly onClose: () => void }) {
  const api = useApi();
  const link = useLoaded("link", (signal) => api.createLink({ signal }));
  return (
    <Dialog onClose={onClose} title="Open on your phone">
      <LoadedView loaded={link} waiting="Making a link">
        {({ url }) => (
          <div className="flex flex-col items-center gap-3">
            <QrPicture text={url} />
            <p className="text-center text-soft">
              Point the phone's camera at it. The link signs one browser in, once, within ten minutes.
            </p>
            <span className="flex items-center text-[13px] text-soft">
              <span aria-hidden="true">Copy the link</span>
              <CopyButton label="Copy the link" text={url} />
            </span>
            {isLoopback(url) && (
              <p className="rounded-md border border-warn/50 p-3 text-[13px]" role="note">
                This address ({new URL(url).host}) only works on this machine. Open the page under its name in your
                tailnet or tunnel first, then make the code there:{" "}
                <code className="font-mono text-[12px]">docs/phone.md</code>.
              </p>
            )}
          </div>
        )}
      </LoadedView>
    </Dialog>
  );
}

function QrPicture({ text }: { readonly text: string }) {
  const rows = useMemo(() => qrCode(text), [text]);
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      aria-label="QR code of the link"
      className="size-64 rounded-md bg-white"
      role="img"
      shapeRendering="crispEdges"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
    >
      <path className="fill-black" d={path} />
    </svg>
  );
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
}
