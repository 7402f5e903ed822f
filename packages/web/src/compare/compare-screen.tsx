import type { ComparisonView } from "@caret/protocol";
import { Link } from "wouter";
import { useAbout, useApi } from "../data/page-hooks.ts";
import { Spinner } from "../parts/placeholders.tsx";
import { TimeAgo } from "../parts/time-ago.tsx";
import { useLoaded } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { CompareForm } from "./compare-form.tsx";

/** Starts a comparison, and leads to those that there are. */
export function CompareScreen() {
  const about = useAbout();
  const api = useApi();
  const { value: comparisons = [] } = useLoaded("comparisons", (signal) => api.listComparisons({ signal }));
  return (
    <ScreenFrame
      about="One prompt for several models, each in a Git worktree of its own. Then one is merged, and the others are dropped."
      title="Compare"
    >
      {about === undefined ? (
        <p className="flex items-center gap-2 text-soft" role="status">
          <Spinner /> Loading…
        </p>
      ) : (
        <CompareForm about={about} />
      )}
      <Comparisons comparisons={comparisons} />
    </ScreenFrame>
  );
}

function Comparisons({ comparisons }: { readonly comparisons: readonly ComparisonView[] }) {
  if (comparisons.length === 0) return null;
  return (
    <section aria-labelledby="comparisons" className="mt-8">
      <h2 className="mb-2 font-medium text-[13px] text-soft" id="comparisons">
        Since the gateway started
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-raised">
        {comparisons.toReversed().map(({ id, prompt, state, candidates, createdAt }) => (
          <li key={id}>
            <Link className="flex items-center gap-3 px-4 py-2.5 hover:bg-ink/3" href={`/compare/${id}`}>
              <span className="min-w-0 flex-1">
                <span className="block truncate">{prompt}</span>
                <span className="block truncate text-[12px] text-faint">
                  {candidates.map(({ model }) => model).join(", ")}
                </span>
              </span>
              <span className="shrink-0 text-[12px] text-soft">{state}</span>
              <span className="shrink-0 text-[12px] text-faint">
                <TimeAgo at={createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
