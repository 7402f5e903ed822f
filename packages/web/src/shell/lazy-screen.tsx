import { type ComponentType, lazy, useState } from "react";

type LazyScreen<Props> = ComponentType<Props> & {
  /** Fetch it before it is shown. */
  readonly fetch: () => Promise<unknown>;
};

/**
 * A component that is fetched when it is first shown. Unlike with `lazy` alone, one that has been fetched by then is
 * shown at once: React keeps what stands for a missing one in sight for 300 ms, however soon it is there.
 */
export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyScreen<Props> {
  let fetched: ComponentType<Props> | undefined;
  const fetch = async (): Promise<ComponentType<Props>> => {
    fetched ??= await load();
    return fetched;
  };
  const Later = lazy(async () => ({ default: await fetch() }));
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each screen, when the module is read
  function Screen(props: Props) {
    // Decided once: another component would be another screen, which would remount.
    const [Shown] = useState<ComponentType<Props>>(() => fetched ?? (Later as unknown as ComponentType<Props>));
    return <Shown {...props} />;
  }
  return Object.assign(Screen, { fetch });
}
