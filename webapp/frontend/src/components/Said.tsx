/** Words of strangers (a page's, a ticket's, a person's): all of them can be seen, and they order nothing but themselves. */
import { visible } from "../visible";

export function Said({ children }: { children: string | null | undefined }) {
  return <bdi>{visible(children ?? "")}</bdi>;
}
