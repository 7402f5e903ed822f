/** Takes one item after the other. A promise means that it is not ready for the next one before that is settled. */
export type Take<Item> = (item: Item) => Promise<void> | void;
