/** What a gateway asks the worker for that has a comparison. */
export type ComparisonCommand = `comparisons.${"start" | "pick" | "drop" | "hold" | "letGo"}`;
