import type { ConnectTestResult } from "@caret/protocol";
import type { Door } from "@caret/protocol/recipes";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { useAbout, useApi } from "../data/page-hooks.ts";
import { SimulatedBadge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { toErrorInfo } from "../parts/error-note.tsx";
import { Words } from "../parts/field.tsx";
import { isSimulated } from "../screen/simulated-note.tsx";

const doors: readonly { readonly door: Door; readonly name: string; readonly path: string; readonly users: string }[] =
  [
    { door: "openai", name: "Chat Completions", path: "/v1", users: "OpenCode, pi, Zed, OpenAI's SDKs, the AI SDK" },
    { door: "responses", name: "Responses", path: "/v1", users: "Codex, OpenAI's SDKs" },
    { door: "anthropic", name: "Messages", path: "", users: "Claude Code, Anthropic's SDKs" },
  ];

/** Each door of the gateway, with a request through it that is as real as a client's. */
export function DoorTests({ url }: { readonly url: string }) {
  const about = useAbout();
  return (
    <>
      <ul aria-label="Doors" className="divide-y divide-line rounded-lg border border-line bg-raised">
        {doors.map(({ door, name, path, users }) => (
          <li className="px-3 py-2.5 sm:px-4" key={door}>
            <DoorTest address={url + path} door={door} name={name} users={users} />
          </li>
        ))}
      </ul>
      <p className="mt-2 text-[13px] text-soft">
        {isSimulated(about, about?.defaultLane) ? (
          <>
            <SimulatedBadge /> The simulator answers these tests, not Cursor.
          </>
        ) : (
          "A test runs a short turn, which counts towards what your Cursor plan allows."
        )}
      </p>
    </>
  );
}

interface DoorTestProps {
  readonly door: Door;
  readonly name: string;
  readonly address: string;
  readonly users: string;
}

function DoorTest({ door, name, address, users }: DoorTestProps) {
  const api = useApi();
  const [isTesting, setTesting] = useState(false);
  const [result, setResult] = useState<ConnectTestResult>();
  const test = async (): Promise<void> => {
    setTesting(true);
    setResult(undefined);
    const began = performance.now();
    try {
      setResult(await api.testConnection({ door }));
    } catch (reason) {
      const { message, fix } = toErrorInfo(reason);
      setResult({ ok: false, detail: `${message} ${fix}`, durationMs: performance.now() - began });
    } finally {
      setTesting(false);
    }
  };
  return (
    <>
      <div className="flex items-center justify-between gap-3">
        <div className="min-w-0">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium">{name}</span>
            <code className="truncate font-mono text-[13px] text-soft">{address}</code>
          </p>
          <p className="text-[13px] text-soft">{users}</p>
        </div>
        <Button aria-label={`Test ${name}`} disabled={isTesting} onClick={test}>
          {isTesting ? "Asking…" : "Test"}
        </Button>
      </div>
      <div aria-live="polite">{result !== undefined && <TestResult result={result} />}</div>
    </>
  );
}

function TestResult({ result: { ok, detail, durationMs } }: { readonly result: ConnectTestResult }) {
  const Icon = ok ? CircleCheck : CircleX;
  return (
    <p className="mt-2 flex gap-2">
      <Icon aria-hidden="true" className={`mt-0.5 shrink-0 ${ok ? "text-good" : "text-bad"}`} size={16} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {ok ? "It answered " : "It did not work: "}
        <span className={ok ? "font-mono text-[13px]" : ""}>{ok ? `“${detail}”` : <Words text={detail} />}</span>
        <span className="text-faint"> · {secondsWord(durationMs)}</span>
      </span>
    </p>
  );
}

function secondsWord(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
