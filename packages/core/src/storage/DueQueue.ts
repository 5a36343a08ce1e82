/** @internal */

import { Order, SortedSet } from "effect"

/** An item of a group, due at a moment. `order` decides between items that are due together: no two have the same. */
export interface Due<Group, Item> {
  readonly group: Group
  readonly item: Item
  readonly at: number
  readonly order: number
}

/**
 * Items by when they are due, and the groups by their first item. No operation costs more than the logarithm of what is
 * kept, so that a group with thousands of items is in nobody's way.
 */
export interface DueQueue<Group, Item> {
  /** Puts an item in its place; it leaves the one that it had. */
  readonly put: (due: Due<Group, Item>) => void
  readonly remove: (item: Item) => void
  readonly first: (group: Group) => Due<Group, Item> | undefined
  /** The first item of every group, the one that is due first before the others. */
  readonly heads: () => Iterable<Due<Group, Item>>
}

/** A queue with nothing in it. */
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
