/** That something is under way; the words beside it say what. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 shrink-0 rounded-full border-2 border-line border-t-accent motion-safe:animate-spin"
    />
  );
}
