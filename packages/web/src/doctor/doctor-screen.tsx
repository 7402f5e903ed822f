import type { FindingView } from "@caret/protocol";
import { CircleCheck, CircleX, RefreshCw, TriangleAlert } from "lucide-react";
import { useAbout, useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Words } from "../parts/field.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";

const marks: Readonly<Record<FindingView["state"], string>> = { ok: "ok  ", warn: "warn", fail: "FAIL" };

/** What Caret needs, whether it is there, and what to type when it is not. */
export function DoctorScreen() {
  const api = useApi();
  const about = useAbout();
  const findings = useLoaded("doctor", (signal) => api.doctor({ signal }));
  const { value, isLoading, reload } = findings;
  return (
    <ScreenFrame
      about="What Caret needs on this machine, and what to do about what is missing."
      actions={
        <>
          {value !== undefined && (
            <CopyButton label="Copy as text" text={findingsText(value, about?.version)}>
              Copy as text
            </CopyButton>
          )}
          <Button disabled={isLoading} icon={<RefreshCw aria-hidden="true" size={16} />} onClick={reload}>
            {isLoading ? "Checking…" : "Check again"}
          </Button>
        </>
      }
      title="Doctor"
    >
      <LoadedView loaded={findings} waiting="Checking this machine; an agent is started for it">
        {(list) => <Findings findings={list} />}
      </LoadedView>
    </ScreenFrame>
  );
}

function Findings({ findings }: { readonly findings: readonly FindingView[] }) {
  return (
    <>
      <p aria-live="polite" className="mb-3 font-medium">
        {findingsVerdict(findings)}
      </p>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
        {worstFirst(findings).map((finding) => (
          <Finding finding={finding} key={`${finding.check} ${finding.detail}`} />
        ))}
      </ul>
    </>
  );
}

const faces = {
  ok: { Icon: CircleCheck, colour: "text-good", word: "Fine" },
  warn: { Icon: TriangleAlert, colour: "text-warn", word: "Warning" },
  fail: { Icon: CircleX, colour: "text-bad", word: "Failed" },
} as const;

function Finding({ finding: { check, state, detail, why, fix } }: { readonly finding: FindingView }) {
  const { Icon, colour, word } = faces[state];
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 px-3 py-2.5 sm:px-4">
      <Icon aria-hidden="true" className={`mt-0.5 ${colour}`} size={18} />
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{check}</span>
          <span className={`text-xs ${state === "ok" ? "sr-only" : colour}`}>{word}</span>
        </p>
        <p className="text-soft [overflow-wrap:anywhere]">
          <Words text={detail} />
        </p>
        {why !== undefined && <p className="text-[13px] text-faint">{why}</p>}
        {fix !== undefined && <Fix check={check} fix={fix} />}
      </div>
    </li>
  );
}

function Fix({ check, fix }: { readonly check: string; readonly fix: string }) {
  if (!isCommand(fix))
    return (
      <p className="[overflow-wrap:anywhere]">
        <Words text={fix} />
      </p>
    );
  return (
    <div className="mt-2 flex items-center justify-between gap-2 rounded-md border border-line bg-panel pl-3">
      <code className="min-w-0 py-1.5 font-mono text-[13px] [overflow-wrap:anywhere]">{fix}</code>
      <CopyButton label={`Copy the fix for ${check}`} text={fix} />
    </div>
  );
}

/** Whether a fix is something to type, and not a sentence about what to do. */
export function isCommand(fix: string): boolean {
  return !/[.!?]$/.test(fix.trimEnd());
}

/** All findings as text for a bug report. */
export function findingsText(findings: readonly FindingView[], version: string | undefined): string {
  const head = version === undefined ? "Caret" : `Caret ${version}`;
  const lines = findings.flatMap(({ check, state, detail, fix }) => [
    `${marks[state]}  ${check}: ${detail}`,
    ...(fix === undefined ? [] : [`      fix: ${fix}`]),
  ]);
  return [head, ...lines, ""].join("\n");
}

/** `All 9 checks are fine`, `1 failure, 2 warnings`. */
export function findingsVerdict(findings: readonly FindingView[]): string {
  const count = (state: FindingView["state"]): number => findings.filter((finding) => finding.state === state).length;
  const [failures, warnings] = [count("fail"), count("warn")];
  if (findings.length === 0) return "Nothing was checked";
  if (failures + warnings === 0)
    return findings.length === 1 ? "1 check is fine" : `All ${findings.length} checks are fine`;
  const words = [plural(failures, "failure"), plural(warnings, "warning")].filter((word) => !word.startsWith("0 "));
  return words.join(", ");
}

/** What needs a person first. */
export function worstFirst(findings: readonly FindingView[]): readonly FindingView[] {
  const order = { fail: 0, warn: 1, ok: 2 };
  return findings.toSorted((a, b) => order[a.state] - order[b.state]);
}

function plural(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
