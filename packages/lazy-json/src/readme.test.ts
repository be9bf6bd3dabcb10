import { expect, it } from "vitest";
import { LazyDecoder, unreadMemberOf } from "./index.ts";

interface Book {
  title: string;
  pages: string[];
}

it("runs the README's example", () => {
  const books = new LazyDecoder({ freezes: true });

  function bookOf(bytes: Buffer): Book {
    return (books.decode(bytes) ?? JSON.parse(bytes.toString())) as Book;
  }

  const book = bookOf(Buffer.from('{"title":"Emma","pages":["Emma Woodhouse, handsome, clever, and rich"]}'));
  expect(unreadMemberOf(book, 0)).toBe('["Emma Woodhouse, handsome, clever, and rich"]');
  const [first] = book.pages;
  expect(first).toMatch("Emma Woodhouse");
  expect(unreadMemberOf(book, 0)).toBeUndefined();
  expect(Object.isFrozen(book) && Object.isFrozen(book.pages)).toBe(true);
});
