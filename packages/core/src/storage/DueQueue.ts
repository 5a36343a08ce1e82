/** @internal */

import { Order, SortedSet } from "effect"

/** An item of a group with its due time. `order` sorts items that are due together and is unique. */
export interface Due<Group, Item> {
  readonly group: Group
  readonly item: Item
  readonly at: number
  readonly order: number
}

/**
 * Items by due time, and groups by their first item. Every operation is logarithmic in the number of items, so a group
 * with thousands of items delays no other.
 */
export interface DueQueue<Group, Item> {
  /** Inserts an item, or moves it to its new place. */
  readonly put: (due: Due<Group, Item>) => void
  readonly remove: (item: Item) => void
  readonly first: (group: Group) => Due<Group, Item> | undefined
  /** The first item of every group, earliest first. */
  readonly heads: () => Iterable<Due<Group, Item>>
}

/** An empty queue. */
export const make = <Group, Item>(): DueQueue<Group, Item> => {
  const byTime: Order.Order<Due<Group, Item>> = Order.combine(
    Order.mapInput(Order.number, ({ at }) => at),
    Order.mapInput(Order.number, ({ order }) => order)
  )
  const none = SortedSet.empty<Due<Group, Item>>(byTime)
  const places = new Map<Item, Due<Group, Item>>()
  const groups = new Map<Group, SortedSet.SortedSet<Due<Group, Item>>>()
  let heads = none

  const first = (group: Group): Due<Group, Item> | undefined => {
    const [head] = groups.get(group) ?? none
    return head
  }
  const change = (
    group: Group,
    to: (items: SortedSet.SortedSet<Due<Group, Item>>) => SortedSet.SortedSet<Due<Group, Item>>
  ): void => {
    const before = first(group)
    const items = to(groups.get(group) ?? none)
    if (SortedSet.size(items) === 0) groups.delete(group)
    else groups.set(group, items)
    const after = first(group)
    if (before === after) return
    if (before !== undefined) heads = SortedSet.remove(heads, before)
    if (after !== undefined) heads = SortedSet.add(heads, after)
  }
  const remove = (item: Item): void => {
    const place = places.get(item)
    if (place === undefined) return
    places.delete(item)
    change(place.group, SortedSet.remove(place))
  }

  return {
    put: (due) => {
      remove(due.item)
      places.set(due.item, due)
      change(due.group, SortedSet.add(due))
    },
    remove,
    first,
    heads: () => heads
  }
}
