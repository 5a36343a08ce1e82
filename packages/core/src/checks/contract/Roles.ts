import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the contract grants roles, and the members of each. Refuted only where the code reads no mapping for its caller:
 * that may be a role scheme of its own, with members that cannot be listed.
 *
 * @see https://docs.openzeppelin.com/contracts/5.x/access-control
 */
export const roles = Check.make({
  id: "control.roles",
  code: "O-06",
  version: 2,
  targets: ["token", "contract"],
  claim: "The contract has roles with members",
  polarity: "neutral",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({
    roles: Schema.Array(Schema.Struct({ role: Schema.String, member: Address })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const { observation, value } = yield* control.of(target.address)
      const roles = value.edges
        .filter((edge) => edge.to === target.address && ControlGraph.isRole(edge.power))
        .map((edge) => ({ role: edge.power.slice("role:".length), member: edge.from }))
        .sort((a, b) => (`${a.role}${a.member}` < `${b.role}${b.member}` ? -1 : 1))
      const gap = ControlGraph.roleGap(value)
      const seen = { value: { roles, complete: Option.isNone(gap) }, observation: observation() }
      if (roles.length > 0)
        return [
          Check.confirmed({
            ...seen,
            detail: `${Count.of(roles.length, "role membership")}: ${Phrases.few(roles.map(({ member, role }) => `${Phrases.brief(role)} of ${member}`))}`
          })
        ]
      // A mapping that is read for the caller may be a role scheme of the contract's own.
      const scheme = value.unread.find(({ what }) => what.startsWith("list:"))
      if (Option.isNone(gap) && scheme !== undefined)
        return [Phrases.unknown(scheme.reason, Phrases.gap(scheme), { observation: observation() })]
      return Option.match(gap, {
        onNone: () => [Check.refuted({ ...seen, detail: "no role has a member" })],
        onSome: ({ reason }) => [Phrases.unknown(reason, "the members of its roles were not all read")]
      })
    })
})
