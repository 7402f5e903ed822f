interface WorktreeChoiceProps {
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

/** Whether the session has files of its own: several then work on one repository without meeting. */
export function WorktreeChoice({ isChosen, onChoose }: WorktreeChoiceProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2 self-end pb-1">
      <input
        checked={isChosen}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        onChange={(event) => onChoose(event.target.checked)}
        type="checkbox"
      />
      <span>
        <span className="block font-medium text-[13px] text-soft">In a worktree of its own</span>
        <span className="block text-[12px] text-faint">
          A second checkout of the repository, on a new branch. Your own files stay as they are.
        </span>
      </span>
    </label>
  );
}
