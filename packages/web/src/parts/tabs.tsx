interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly label: string }[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** A choice of a few views of the same thing: a group of buttons of which one is pressed. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>) {
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-raised p-0.5">
      <legend className="sr-only">{label}</legend>
      {tabs.map((tab) => (
        <button
          aria-pressed={tab.name === chosen}
          className="min-h-10 min-w-10 rounded px-2.5 font-medium text-[13px] text-soft transition-colors duration-100 hover:text-ink aria-pressed:bg-ink/8 aria-pressed:text-ink md:min-h-7 md:min-w-0"
          key={tab.name}
          onClick={() => onChoose(tab.name)}
          type="button"
        >
          {tab.label}
        </button>
      ))}
    </fieldset>
  );
}
