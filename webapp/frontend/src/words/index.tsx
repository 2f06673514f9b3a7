/** One catalogue of strings; each entry is [English, Chinese]. */
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";

import { common } from "./common";
import { judging } from "./judging";
import { pages } from "./pages";
import { session } from "./session";

const catalogue = { ...common, ...session, ...pages, ...judging } satisfies Record<string, readonly [string, string]>;

export type WordKey = keyof typeof catalogue;
export type Lang = "en" | "zh";
type Blanks = Record<string, string | number>;

export interface Words {
  lang: Lang;
  setLang: (lang: Lang) => void;
  /** The string of a key, its {blanks} filled. */
  t: (key: WordKey, blanks?: Blanks) => string;
  /** The word for a value the server named, or the value itself where the catalogue has none. */
  word: (prefix: string, value: string) => string;
}

const STORED = "belay-language";

function firstLang(): Lang {
  const stored = window.localStorage.getItem(STORED);
  if (stored === "en" || stored === "zh") return stored;
  return navigator.language.startsWith("zh") ? "zh" : "en";
}

function filled(text: string, blanks: Blanks): string {
  return text.replace(/\{(\w+)\}/g, (blank, name: string) => String(blanks[name] ?? blank));
}

function wordsFor(lang: Lang): Pick<Words, "t" | "word"> {
  const at = lang === "en" ? 0 : 1;
  const t: Words["t"] = (key, blanks = {}) => filled(catalogue[key][at], blanks);
  const word: Words["word"] = (prefix, value) => {
    const key = `${prefix}.${value}`;
    return key in catalogue ? t(key as WordKey) : value;
  };
  return { t, word };
}

const WordsContext = createContext<Words | null>(null);

export function WordsProvider({ children }: { children: ReactNode }) {
  const [lang, setLang] = useState<Lang>(firstLang);
  useEffect(() => {
    window.localStorage.setItem(STORED, lang);
    document.documentElement.lang = lang === "en" ? "en" : "zh-CN";
  }, [lang]);
  const words = useMemo(() => ({ lang, setLang, ...wordsFor(lang) }), [lang]);
  return <WordsContext.Provider value={words}>{children}</WordsContext.Provider>;
}

export function useWords(): Words {
  const words = useContext(WordsContext);
  if (!words) throw new Error("useWords outside WordsProvider");
  return words;
}
