import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { usePageState } from "../data/use-page-state.ts";
import { TextInput } from "../parts/field.tsx";
import { Spinner } from "../parts/spinner.tsx";
import { Tabs } from "../parts/tabs.tsx";

const shelves = [
  { name: "open", label: "Open" },
  { name: "archived", label: "Archived" },
] as const;

/** Long enough not to ask at each letter. */
const TYPING_MS = 150;

export function SessionSearch() {
  const { search } = usePageData();
  const isLoading = usePageState(({ found }) => found?.isLoading === true);
  const [typed, setTyped] = useState("");
  const [shelf, setShelf] = useState<"open" | "archived">("open");
  useEffect(() => {
    const timer = setTimeout(search, typed === "" ? 0 : TYPING_MS, typed.trim(), shelf === "archived");
    return () => clearTimeout(timer);
  }, [search, typed, shelf]);
  // Whoever comes back finds the whole list.
  useEffect(() => () => search("", false), [search]);
  return (
    <search className="mb-4 flex flex-wrap items-center gap-2">
      <div className="relative min-w-48 flex-1">
        <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-faint">
          {isLoading ? <Spinner /> : <Search aria-hidden="true" size={14} />}
        </span>
        <TextInput
          aria-label="Search sessions"
          className="pl-8"
          onChange={(event) => setTyped(event.target.value)}
          placeholder="Search sessions"
          type="search"
          value={typed}
        />
      </div>
      <Tabs chosen={shelf} label="Which sessions" onChoose={setShelf} tabs={shelves} />
    </search>
  );
}
