import type { SessionView } from "@caret/protocol";
import { Link } from "wouter";
import { useApi } from "../data/page-hooks.ts";
import { useLoaded } from "../screen/loaded-view.tsx";

/** Says before a prompt is sent that its turn would be refused for a budget, or that one is nearly used up. */
export function BudgetNote({ session }: { readonly session?: SessionView }) {
  const api = useApi();
  const id = session?.id;
  // What a turn has used is known at its end.
  const { value } = useLoaded(
    `budget ${id}`,
    (signal) => api.budget(id === undefined ? {} : { session: id }, { signal }),
    session?.status.kind,
  );
  const said = value?.refusal === undefined ? value?.warnings : [value.refusal.message];
  if (value === undefined || said === undefined || said.length === 0) return null;
  const isRefused = value.refusal !== undefined;
  return (
    <p
      className={`mb-1 rounded-md border bg-raised px-2 py-1 text-[13px] [overflow-wrap:anywhere] ${isRefused ? "border-warn/60 text-ink" : "border-line text-soft"}`}
      role="status"
    >
      {isRefused && "The next turn will be refused. "}
      {said.join(". ")}.{" "}
      <Link className="text-accent underline underline-offset-2" href="/usage">
        Budgets
      </Link>
    </p>
  );
}
