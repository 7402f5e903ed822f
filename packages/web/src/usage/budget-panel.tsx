import type { BudgetLine, BudgetView } from "@caret/protocol";
import { useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { useLoaded } from "../screen/loaded-view.tsx";
import { BudgetForm } from "./budget-form.tsx";
import { budgetWords, scopeWords } from "./budget-words.ts";

/** How the budgets of the day stand, and a form to set them. */
export function BudgetPanel() {
  const api = useApi();
  const [isEditing, setEditing] = useState(false);
  const { value, reload } = useLoaded("budget", (signal) => api.budget({}, { signal }));
  if (value === undefined) return null;
  const saved = (): void => {
    setEditing(false);
    reload();
  };
  return (
    <section aria-labelledby="budgets" className="mb-6 rounded-lg border border-line bg-raised px-3 py-2.5 sm:px-4">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold text-[15px]" id="budgets">
          Budgets
        </h2>
        {!isEditing && <Button onClick={() => setEditing(true)}>Set budgets</Button>}
      </div>
      {isEditing ? (
        <BudgetForm budget={value} onCancel={() => setEditing(false)} onSaved={saved} />
      ) : (
        <BudgetLines budget={value} />
      )}
    </section>
  );
}

function BudgetLines({ budget: { lines, refusal } }: { readonly budget: BudgetView }) {
  if (lines.length === 0) return <p className="text-[13px] text-soft">None is set: nothing stops a turn.</p>;
  return (
    <>
      {refusal !== undefined && <p className="text-warn">No further turn starts: {refusal.message}.</p>}
      <ul className="text-[13px]">
        {lines.map((line) => (
          <BudgetRow key={`${line.scope} ${line.unit}`} line={line} />
        ))}
      </ul>
    </>
  );
}

function BudgetRow({ line }: { readonly line: BudgetLine }) {
  const { scope, used, limit } = line;
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-0.5">
      <span className="w-20 text-soft">{scopeWords[scope]}</span>
      <span className="tabular-nums">{budgetWords(line)}</span>
      {typeof used === "number" && (
        <progress
          aria-hidden="true"
          className={`h-1.5 w-32 ${used >= limit ? "accent-bad" : "accent-accent"}`}
          max={limit}
          value={used}
        />
      )}
    </li>
  );
}
