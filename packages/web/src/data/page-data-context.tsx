import { createContext, type ReactNode, useContext } from "react";
import type { PageData } from "./create-page-data.ts";

const PageDataContext = createContext<PageData | undefined>(undefined);

export function PageDataProvider({ data, children }: { readonly data: PageData; readonly children: ReactNode }) {
  return <PageDataContext value={data}>{children}</PageDataContext>;
}

export function usePageData(): PageData {
  const data = useContext(PageDataContext);
  if (data === undefined) throw new Error("There is no PageDataProvider above this component");
  return data;
}
