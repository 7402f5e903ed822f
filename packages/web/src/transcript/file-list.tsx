interface FileListProps {
  readonly id: string;
  readonly files: readonly string[];
  readonly chosen: number;
  readonly onChoose: (path: string) => void;
}

/** Suggestions above the prompt. The keyboard stays in the prompt, which says which one is chosen. */
export function FileList({ id, files, chosen, onChoose }: FileListProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Files"
      tabIndex={-1}
      className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lg"
    >
      {files.map((path, index) => (
        <div
          key={path}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          // Before the click takes the focus away from the prompt.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(path);
          }}
          className="flex min-h-8 cursor-pointer items-center truncate rounded px-2 font-mono text-[12px] hover:bg-panel aria-selected:bg-accent/10 aria-selected:text-accent max-md:min-h-10"
        >
          {path}
        </div>
      ))}
    </div>
  );
}
