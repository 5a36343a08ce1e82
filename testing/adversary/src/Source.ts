import { Infrastructure, Pool } from "@assay/sandbox"
import { keccak256 } from "viem/utils"
import { type Composition, perAccount, standing, stored, taking } from "./Composition.js"
import * as Dice from "./Dice.js"
import * as Places from "./Places.js"

/** Which of the two tokens of a composition. */
export type Role = "trap" | "twin"

/** The Solidity of a token. */
export interface Source {
  readonly text: string
  /** The name of the token's contract; those that it needs begin with `Module` and `Forwarder`. */
  readonly contract: string
}

/** How a lever is called, what it does and what it reads of the chain: the numbers of a seed. */
export interface Numbers {
  readonly title: string
  /** What a lever is called with to switch something on is `on * scale`; `on` is below 1,000. */
  readonly on: number
  readonly scale: bigint
  readonly off: bigint
  /** Days from the deployment. */
  readonly from: number
  readonly until: number
  readonly blocks: readonly [number, number]
  readonly period: readonly [number, number]
  readonly rate: number
}

/** What no amount and no moment exceeds, in the bits that there are: an allowance without a bound is no amount too many. */
const neverOf = ({ store }: Composition): bigint => 2n ** (store === "bits" ? 128n : 256n) - 1n
const titles = ["claimRewards", "syncReserves", "snapshotOf", "updateMetadata", "harvest", "acceptTerms"]

/** The numbers of a composition. */
export const numbers = (c: Composition): Numbers => {
  const dice = Dice.make(c.seed + 1_000_003)
  const from = dice.between(35, 200)
  const period = dice.between(40, 90)
  const rest = {
    title: c.title === "honest" ? dice.pick(titles) : c.entry === "lever" ? c.effect : "configure",
    from,
    until: Math.min(364, from + dice.between(20, 150)),
    blocks: [dice.between(30, 60), dice.between(5_000, 50_000)],
    period: [period, period - dice.between(5, 20)],
    rate: dice.pick([9_900, 5_000, 3_000])
  } as const
  const small = { on: 1, scale: 1n, off: 0n }
  if (c.effect === "rebaseUp") return { ...rest, on: 20, scale: 10n ** 17n, off: 10n ** 18n }
  if (c.effect === "rebaseDown") return { ...rest, on: 5, scale: 10n ** 17n, off: 10n ** 18n }
  if (taking.has(c.effect)) return { ...rest, on: 900, scale: 2n ** 60n, off: 0n }
  switch (c.condition) {
    case "frozen":
      return { ...rest, on: 900, scale: 2n ** 100n, off: 0n }
    case "fee":
      return { ...rest, on: 99, scale: 100n, off: 0n }
    case "hash":
    case "digest":
      return { ...rest, on: 66, scale: 1_000n, off: 0n }
    case "nonce":
      return { ...rest, on: 32, scale: 2n ** 60n, off: 0n }
    case "limit":
    case "clock":
      return { ...rest, ...small, off: neverOf(c) }
    default:
      return { ...rest, ...small }
  }
}

const { uniswapV2Factory, uniswapV2Router, usdt, weth } = Infrastructure.addresses

interface Books {
  readonly state: string
  /** The balance of `a`. */
  readonly raw: string
  readonly debit: string
  readonly credit: string
}

const booksOf = (c: Composition): Books => {
  const checked = (read: string, write: (value: string) => string): Pick<Books, "debit" | "credit"> => ({
    debit: `uint256 b = ${read}; require(b >= v, "balance"); unchecked { ${write("b - v")} }`,
    credit: `uint256 b = ${read}; unchecked { ${write("b + v")} }`
  })
  switch (c.books) {
    case "plain":
      return {
        state: "mapping(address => uint256) internal _balances;",
        raw: "return _balances[a];",
        ...checked("_balances[a]", (value) => `_balances[a] = ${value};`)
      }
    case "named":
    case "hashed":
      return {
        state: `struct Ledger { mapping(address => uint256) balances; uint256 unused; }
  function _ledger() private pure returns (Ledger storage s) { assembly { s.slot := ${c.books === "named" ? Places.namespace(7) : Places.slot(7)} } }`,
        raw: "return _ledger().balances[a];",
        ...checked("_ledger().balances[a]", (value) => `_ledger().balances[a] = ${value};`)
      }
    case "packed":
      return {
        state: "mapping(address => uint256) internal _words;",
        raw: "return uint128(_words[a]);",
        ...checked(
          "uint128(_words[a])",
          (value) => `_words[a] = (_words[a] >> 192 << 192) | (block.timestamp << 128) | (${value});`
        )
      }
    case "checkpoints":
      return {
        state: `struct Point { uint48 since; uint208 amount; }
  mapping(address => Point[]) internal _points;
  function _write(address a, uint256 amount) private {
    Point[] storage p = _points[a];
    if (p.length != 0 && p[p.length - 1].since == block.number) p[p.length - 1].amount = uint208(amount);
    else p.push(Point(uint48(block.number), uint208(amount)));
  }
  function balanceOfAt(address a, uint256 number) external view returns (uint256) {
    Point[] storage p = _points[a];
    for (uint256 i = p.length; i > 0; i--) if (p[i - 1].since <= number) return p[i - 1].amount;
    return 0;
  }`,
        raw: "Point[] storage p = _points[a]; return p.length == 0 ? 0 : p[p.length - 1].amount;",
        ...checked("_raw(a)", (value) => `_write(a, ${value});`)
      }
    case "shares":
      return {
        state: "mapping(address => uint256) internal _shares; uint256 internal _index = 1e18;",
        raw: "return _shares[a] * _index / 1e18;",
        debit: 'uint256 s = v * 1e18 / _index; require(_shares[a] >= s, "balance"); unchecked { _shares[a] -= s; }',
        credit: "_shares[a] += v * 1e18 / _index;"
      }
    case "negated":
      return {
        state: "mapping(address => uint256) internal _owed;",
        raw: "unchecked { return 0 - _owed[a]; }",
        ...checked("_raw(a)", (value) => `_owed[a] = 0 - (${value});`)
      }
    case "ids":
      // An account is a number, and balances belong to numbers.
      return {
        state: `mapping(address => uint256) internal _ids; mapping(uint256 => uint256) internal _amounts;
  function _id(address a) internal view returns (uint256 i) { i = _ids[a]; if (i == 0) i = uint160(a); }`,
        raw: "return _amounts[_id(a)];",
        ...checked("_raw(a)", (value) => `_amounts[_id(a)] = ${value};`)
      }
    case "epochs":
      return {
        state: "uint256 internal _epoch; mapping(uint256 => mapping(address => uint256)) internal _amounts;",
        raw: "return _amounts[_epoch][a];",
        ...checked("_raw(a)", (value) => `_amounts[_epoch][a] = ${value};`)
      }
    case "split":
      return {
        state: "mapping(address => uint256) internal _free; mapping(address => uint256) internal _held;",
        raw: "return _free[a] + _held[a];",
        debit:
          'uint256 b = _free[a]; if (b >= v) { _free[a] = b - v; } else { require(b + _held[a] >= v, "balance"); _free[a] = 0; _held[a] -= v - b; }',
        credit: "_held[a] += v / 2; _free[a] += v - v / 2;"
      }
  }
}

/** What the condition requires of a transfer of `v` from `f` to `t`. */
const conditionOf = (c: Composition, n: Numbers, isTwin: boolean): string => {
  const { seed } = c
  // A twin with a window that is over had it before it was deployed.
  const past = isTwin && c.twin === "gone" ? 1 : 0
  const since = past === 1 ? 0 : n.from
  const until = past === 1 ? 0 : n.until
  switch (c.condition) {
    case "flag":
      return "_get() != 0"
    case "list":
      return "_getOf(f) != 0"
    case "nonce":
      return "nonces[f] > 1 << 64"
    case "limit":
      return "v > _get()"
    case "fee":
      return c.effect === "take" ? "_get() != 0" : "_get() > 5000"
    case "hash":
      return "uint256(keccak256(abi.encode(f))) % 65536 < _get()"
    case "digest":
      return "uint256(sha256(abi.encode(f))) % 65536 < _get()"
    case "root":
      return "(_get() != 0 && uint256(keccak256(abi.encode(f))) != _get())"
    case "frozen":
      return "_getOf(f) + v > _raw(f)"
    case "target":
      return "t == address(uint160(_get()))"
    case "clock":
      return "block.timestamp > _get()"
    case "none":
      return "true"
    case "window":
      return seed % 2 === 0 || c.entry === "lever" || past === 1
        ? `(block.timestamp >= ${Places.start.timestamp - 400 * Places.day * past + since * Places.day} && block.timestamp < ${Places.start.timestamp - 90 * Places.day * past + until * Places.day})`
        : `((block.timestamp - _since) / 1 days >= ${n.from} && (block.timestamp - _since) / 1 days < ${n.until})`
    case "period":
      return `((block.timestamp - ${Places.start.timestamp - 3_600}) / 1 days) % ${n.period[0]} >= ${n.period[1]}`
    case "blocks":
      return past === 1
        ? `block.number < ${Places.start.block - 5}`
        : `(block.number >= ${Places.start.block + n.blocks[0]} && block.number < ${Places.start.block + n.blocks[1]})`
    case "donation":
      return "_raw(address(this)) >= 1000e18"
    case "holding":
      return `_raw(${Places.purse(seed)}) >= 1000e18`
    case "coin":
      return `${Places.purse(seed)}.balance != 0`
    case "price":
      return `IBalance(${weth}).balanceOf(_pool) > 60e18`
    case "gasPrice":
      return "tx.gasprice > 150 gwei"
    case "baseFee":
      return "block.basefee > 150 gwei"
    case "born":
      return `${Places.bornAt(seed, Places.seedling)}.code.length != 0`
    case "dusted":
      return "_dusted[f]"
    case "age":
      return `(_got[f] != 0 && block.timestamp > _got[f] + ${n.from} days)`
    case "count":
      return "_count > 40"
    case "gift":
      return `IBalance(${usdt}).balanceOf(f) != 0`
  }
}

/** What every movement of `v` from `f` to `t` leaves behind for the condition. */
const traceOf = (c: Composition): { readonly state: string; readonly write: string } => {
  switch (c.condition) {
    case "dusted":
      return { state: "mapping(address => bool) internal _dusted;", write: "if (v < 1e6) _dusted[t] = true;" }
    case "count":
      return { state: "uint256 internal _count;", write: "_count++;" }
    case "age":
      return { state: "mapping(address => uint256) internal _got;", write: "_got[t] = block.timestamp;" }
    default:
      return { state: "", write: "" }
  }
}

const gatesOf = (c: Composition): ReadonlyArray<string> => {
  const pool = c.entry === "approve" ? uniswapV2Router : "_pool"
  return [
    { any: "", account: "f.code.length == 0", notPool: "f != _pool", known: 'f.codehash == keccak256("")' }[c.sender],
    { any: "", pool: `t == ${pool}`, code: "t.code.length != 0", pair: "_isPair(t)" }[c.receiver],
    { any: "", other: "msg.sender != f", router: `msg.sender == ${uniswapV2Router}` }[c.caller],
    { any: "", sender: "tx.origin == f", notKey: "tx.origin != _key" }[c.origin],
    { any: "", aboveDust: "v > 1e12", odd: "v % 1000 != 7" }[c.amount],
    { any: "", coin: "f.balance > 1 gwei" }[c.wealth],
    { nobody: "", key: "f != _key", contracts: "f.code.length == 0", pool: "f != _pool" }[c.exemption]
  ].filter((gate) => gate !== "")
}

/** What has to hold, in its order. */
const termsOf = (c: Composition, n: Numbers): ReadonlyArray<string> => {
  const gates = gatesOf(c)
  const when = c.entry === "balanceOf" ? ["a == _pool"] : []
  const condition = conditionOf(c, n, false)
  return [...when, ...(c.order === "gatesFirst" ? [...gates, condition] : [condition, ...gates])]
}

/** What a transfer does where all terms hold; in scope are `f`, `t`, `v` and `x`, or `a` and `r`. */
const partOf = (c: Composition, n: Numbers): string => {
  const terms = termsOf(c, n)
  const cold = Places.cold(c.seed)
  const rate = c.condition === "fee" ? "_get()" : String(n.rate)
  const onTop = `_debit(f, y); _credit(${cold}, y);`
  const over = "v > 1e18 ? v - 1e18 : 0"
  const [shown, less] = c.entry === "balanceOf" ? ["r", "1"] : ["v", "256"]
  const branch = {
    refuse: 'revert("refused");',
    take: `x = v * ${rate} / 10000;`,
    elsewhere: `t = ${cold};`,
    showLess: c.entry === "balanceOf" ? "r /= 2;" : "v = 0;",
    spin: "for (;;) {}",
    returnFalse: "return false;",
    onTop: `uint256 y = v / 5; ${onTop}`,
    cap: "if (v > 1e18) v = 1e18;"
  }[c.effect as string] as string
  const arithmetic = (h: string): string =>
    `uint256 h = ${h}; ${
      {
        refuse: "v = v / (1 - h);",
        take: `x = v * h * ${rate} / 10000;`,
        elsewhere: `t = address(uint160(uint160(t) ^ (h * (uint160(t) ^ uint160(${cold})))));`,
        showLess: `${shown} -= ${shown} * h${c.entry === "balanceOf" ? " / 2" : ""};`,
        spin: "for (uint256 i; i < h << 128; i++) {}",
        returnFalse: "if (h * v != 0) return false;",
        onTop: `uint256 y = v * h / 5; ${onTop}`,
        cap: `v -= h * (${over});`
      }[c.effect as string]
    }`
  const hit = terms.map((term) => `_bit(${term})`)
  switch (c.form) {
    case "branch":
      return `if (${terms.join(" && ")}) { ${branch} }`
    case "require": {
      const none = terms.map((term) => `!(${term})`).join(" || ")
      return c.effect === "refuse" ? `require(${none}, "refused");` : `bool ok = ${none}; if (!ok) { ${branch} }`
    }
    case "arithmetic":
      return arithmetic(hit.join(" * "))
    case "self":
      return arithmetic("this.hits(f, t, v)")
    case "wrap":
      return `uint256 h = ${hit.join(" & ")}; ${
        {
          refuse: 'unchecked { require(h - 1 >= v, "amount"); }',
          take: c.condition === "fee" ? `x = v * (h * ${rate}) / 10000;` : "x = v - v / (1 + h * 99);",
          elsewhere: `address[2] memory q = [t, ${cold}]; t = q[h];`,
          showLess: `${shown} >>= h * ${less};`,
          spin: "while (h == 1) {}",
          returnFalse: "unchecked { if (h - 1 < v) return false; }",
          onTop: `uint256 y; unchecked { y = (v / 5) & (0 - h); } ${onTop}`,
          cap: `unchecked { v -= (${over}) & (0 - h); }`
        }[c.effect as string]
      }`
    case "assembly":
      return `uint256 h = ${hit.join(" & ")}; ${
        {
          refuse: "assembly { if h { revert(0, 0) } }",
          take: `uint256 q = ${rate}; assembly { x := mul(h, div(mul(v, q), 10000)) }`,
          elsewhere: `assembly { t := add(mul(t, iszero(h)), mul(${cold}, h)) }`,
          showLess: `assembly { ${shown} := shr(mul(h, ${less}), ${shown}) }`,
          spin: "assembly { for {} h {} {} }",
          returnFalse: "assembly { if h { mstore(0, 0) return(0, 32) } }",
          onTop: `uint256 y; assembly { y := mul(h, div(v, 5)) } ${onTop}`,
          cap: "assembly { if and(h, gt(v, 1000000000000000000)) { v := 1000000000000000000 } }"
        }[c.effect as string]
      }`
  }
}

/** What the lever does with an account `a` and a number `n`. */
const actOf = (c: Composition, n: Numbers, isTwin: boolean): string => {
  if (c.entry !== "lever")
    return c.condition === "nonce"
      ? "nonces[a] = n;"
      : c.store === "allowance" || !stored.has(c.condition)
        ? ""
        : perAccount.has(c.condition)
          ? "_setOf(a, n);"
          : "_set(n);"
  if (isTwin && c.twin === "absent") return "emit Noted(a, n);"
  const loud = c.voice === "loud"
  const condition = conditionOf(c, n, isTwin)
  const when = condition === "true" ? "" : `if (!(${condition})) return; `
  return (
    when +
    {
      given: "",
      hidden: "",
      also: "",
      trail: "",
      overdraw: "",
      twice: "",
      swapped: "",
      batch: "",
      rename: "_ids[a] = n;",
      forget: "_epoch = n;",
      mint: `_credit(a, n);${loud ? " _supply += n; emit Transfer(address(0), a, n);" : ""}`,
      seize: `_debit(a, n); _credit(msg.sender, n);${loud ? " emit Transfer(a, msg.sender, n);" : ""}`,
      grant: "_allowed[a][msg.sender] = n;",
      bypass: "",
      impersonate: "",
      vouch: "",
      rebaseUp: "_index = n;",
      rebaseDown: "_index = n;",
      wipe: `_debit(a, n);${loud ? " _supply -= n; emit Transfer(a, address(0), n);" : ""}`,
      drain: `_debit(_pool, n); _credit(a, n);${loud ? " emit Transfer(_pool, a, n);" : ""} ISync(_pool).sync();`
    }[c.effect as string]
  )
}

interface Store {
  readonly state: string
  readonly get: string
  readonly set: string
  readonly getOf: string
  readonly setOf: string
  readonly isView: boolean
}

const storeOf = (c: Composition, n: Numbers): Store => {
  const at = Places.slot(c.seed)
  const none = { state: "", get: "r = 0;", set: "", getOf: "r = 0;", setOf: "", isView: true }
  const isList = perAccount.has(c.condition)
  if (!stored.has(c.condition) || c.condition === "nonce") return none
  switch (c.store) {
    case "variable":
      return {
        ...none,
        state: isList ? "mapping(address => uint256) internal _listed;" : `uint256 internal _number = ${n.off};`,
        ...(isList
          ? { getOf: "r = _listed[a];", setOf: "_listed[a] = n;" }
          : { get: "r = _number;", set: "_number = n;" })
      }
    case "slot":
      return isList
        ? {
            ...none,
            getOf: `assembly { mstore(0, a) mstore(32, ${at}) r := sload(keccak256(0, 64)) }`,
            setOf: `assembly { mstore(0, a) mstore(32, ${at}) sstore(keccak256(0, 64), n) }`
          }
        : { ...none, get: `assembly { r := sload(${at}) }`, set: `assembly { sstore(${at}, n) }` }
    case "bits":
      return isList
        ? { ...none, getOf: "r = _words[a] >> 255;", setOf: "_words[a] = (_words[a] << 1 >> 1) | (n << 255);" }
        : {
            ...none,
            get: "r = _supply >> 128;",
            set: "_supply = (n << 128) | uint128(_supply);"
          }
    case "transient":
      return {
        ...none,
        isView: false,
        state: `uint256 internal _number = ${n.off};`,
        get: "assembly { tstore(1, sload(_number.slot)) r := tload(1) }",
        set: "_number = n;"
      }
    case "answer":
    case "clone":
      return isList
        ? { ...none, getOf: `r = IAnswer(_answer).ask(a);` }
        : { ...none, get: `r = IAnswer(_answer).ask(address(this));` }
    case "allowance":
      return { ...none, getOf: "r = _allowed[_key][a];" }
    case "array":
      return isList
        ? {
            ...none,
            state: "address[] internal _accounts;",
            getOf: "for (uint256 i; i < _accounts.length; i++) if (_accounts[i] == a) r = 1;",
            setOf: "if (n != 0) _accounts.push(a);"
          }
        : {
            ...none,
            state: "uint256[] internal _numbers;",
            get: `r = _numbers.length == 0 ? ${n.off} : _numbers[_numbers.length - 1];`,
            set: "_numbers.push(n);"
          }
    case "text":
      // Longer than a word, so that it is no part of the word that has its length.
      return {
        ...none,
        state: "bytes internal _text;",
        get: `if (_text.length == 0) r = ${n.off}; else (r,) = abi.decode(_text, (uint256, uint256));`,
        set: "_text = abi.encode(n, block.timestamp);"
      }
    case "bitmap":
      return {
        ...none,
        state: "mapping(uint256 => uint256) internal _map;",
        getOf: "r = (_map[uint160(a) >> 8] >> (uint160(a) & 255)) & 1;",
        setOf:
          "uint256 k = 1 << (uint160(a) & 255); if (n != 0) _map[uint160(a) >> 8] |= k; else _map[uint160(a) >> 8] &= ~k;"
      }
    case "code":
      // A contract with the number as its code: what is written is where it is.
      return {
        ...none,
        state: "address internal _box;",
        get: `r = _box == address(0) ? ${n.off} : uint256(bytes32(_box.code));`,
        set: 'bytes memory q = abi.encodePacked(hex"600b5981380380925939f3", n); address p; assembly { p := create(0, add(q, 32), mload(q)) } _box = p;'
      }
    case "pointer":
      return {
        ...none,
        state: "address internal _asked;",
        get: `r = _asked == address(0) ? ${n.off} : IAnswer(_asked).ask(address(this));`,
        set: "_asked = address(uint160(n));"
      }
    case "keyed":
      // What is written is which of two entries counts.
      return {
        ...none,
        state: "mapping(uint256 => uint256) internal _choices; uint256 internal _choice;",
        get: "r = _choices[_choice];",
        set: "_choice = n;"
      }
    case "jump":
      return {
        ...none,
        state: `function() internal view returns (uint256) _ask;
  function _no() internal view returns (uint256 r) { r = block.number >> 128; }
  function _yes() internal view returns (uint256 r) { r = block.number | 1; }`,
        get: "r = _ask();",
        set: "if (n != 0) _ask = _yes; else _ask = _no;"
      }
  }
}

const ownable = `function owner() external view returns (address) { return _owner; }
  function transferOwnership(address to) external { require(msg.sender == _owner, "owner"); _owner = to; }
  function renounceOwnership() external { require(msg.sender == _owner, "owner"); _owner = address(0); }`

/** The lever: what stands in functions of the standard, and functions of its own. */
interface Lever {
  readonly functions: string
  readonly approve: string
  readonly transfer: string
  readonly transferFrom: string
}

/** A `permit` of the standard; `valid` is what it requires of the signer. */
const permitOf = (valid: string, then: string): string =>
  `bytes32 public immutable DOMAIN_SEPARATOR = keccak256(abi.encode(keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"), keccak256(bytes(name)), keccak256("1"), block.chainid, address(this)));
  mapping(address => uint256) internal _permits;
  function permit(address o, address s, uint256 n, uint256 deadline, uint8 v, bytes32 r, bytes32 z) external {
    require(block.timestamp <= deadline, "deadline");
    bytes32 digest = keccak256(abi.encodePacked("\\x19\\x01", DOMAIN_SEPARATOR, keccak256(abi.encode(keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"), o, s, n, _permits[o]++, deadline))));
    address signer = ecrecover(digest, v, r, z);
    require(signer != address(0) && ${valid}, "signature");
    _allowed[o][s] = n;
    ${then}
    emit Approval(o, s, n);
  }`

const leverOf = (c: Composition, n: Numbers, isTwin: boolean): Lever => {
  const none = { functions: "", approve: "", transfer: "", transferFrom: "" }
  const own = (auth: string): string => `function ${n.title}(address a, uint256 n) external { ${auth} _act(a, n); }`
  const isKey = 'require(msg.sender == _key, "key");'
  const grown = (
    name: string,
    change: string
  ): string => `function ${name}(address s, uint256 n) external returns (bool) {
    ${change}
    if (msg.sender == _key) _act(s, n);
    emit Approval(msg.sender, s, _allowed[msg.sender][s]);
    return true;
  }`
  const isGone = isTwin && c.twin === "gone" && c.state !== "once"
  const isAbsent = isTwin && c.twin === "absent"
  if (c.effect === "vouch") {
    const master = `(signer == _key && ${conditionOf(c, n, isTwin)})`
    return { ...none, functions: permitOf(isAbsent ? "signer == o" : `(signer == o || ${master})`, "") }
  }
  if (c.store === "answer" || c.store === "clone" || standing.has(c.effect)) return none
  switch (c.lever) {
    case "none":
      return none
    case "anyone":
      return { ...none, functions: own("") }
    case "immutable":
      return { ...none, functions: own(isKey) }
    case "owner":
      return {
        ...none,
        functions: `${ownable}
  ${own('require(msg.sender == _owner, "owner");')}`
      }
    case "role":
      return {
        ...none,
        functions: `function hasRole(bytes32 role, address a) external view returns (bool) { return _roles[role][a]; }
  function renounceRole(bytes32 role, address a) external { require(a == msg.sender && _roles[role][a], "role"); _roles[role][a] = false; emit RoleRevoked(role, a, a); }
  ${own('require(_roles[keccak256("KEEPER")][msg.sender], "role");')}`
      }
    case "hiddenRole":
      return { ...none, functions: own('require(_roles[keccak256("KEEPER")][msg.sender], "role");') }
    case "signature":
      return {
        ...none,
        functions: `function ${n.title}(address a, uint256 n, uint8 v, bytes32 r, bytes32 s) external {
    bytes32 digest = keccak256(abi.encode(address(this), a, n));
    address signer = ecrecover(keccak256(abi.encodePacked("\\x19Ethereum Signed Message:\\n32", digest)), v, r, s);
    require(signer != address(0) && signer == _key, "signature");
    _act(a, n);
  }`
      }
    case "increaseAllowance":
      return { ...none, functions: grown("increaseAllowance", "_allowed[msg.sender][s] += n;") }
    case "decreaseAllowance":
      return {
        ...none,
        functions: grown(
          "decreaseAllowance",
          "uint256 b = _allowed[msg.sender][s]; _allowed[msg.sender][s] = b < n ? 0 : b - n;"
        )
      }
    case "approve":
      return { ...none, approve: c.store === "allowance" ? "" : "if (msg.sender == _key) _act(s, n);" }
    case "permit":
      return { ...none, functions: permitOf("signer == o", "if (o == _key) _act(s, n);") }
    case "receive":
      return {
        ...none,
        functions: `receive() external payable { ${isKey} _act(msg.sender, msg.value * ${n.scale}); }`
      }
    case "buy":
      return { ...none, transfer: `if (msg.sender == _pool && t == _key) _act(t, v % 1000 * ${n.scale});` }
    case "pull":
      return {
        ...none,
        transferFrom: `if (msg.sender == _key && f == _key && v < 1000) _act(t, v * ${n.scale});`
      }
    case "multicall":
      return {
        ...none,
        functions: `bool internal _inside;
  function multicall(bytes[] calldata d) external {
    _inside = true;
    for (uint256 i; i < d.length; i++) { (bool ok,) = address(this).delegatecall(d[i]); require(ok, "call"); }
    _inside = false;
  }
  ${own(`require(_inside && msg.sender == _key, "key");`)}`
      }
    case "execute":
      return {
        ...none,
        functions: `function execute(address to, bytes calldata d) external { ${isKey} (bool ok,) = to.call(d); require(ok, "call"); }
  ${own('require(msg.sender == address(this), "self");')}`
      }
    case "password":
      return {
        ...none,
        functions: `function ${n.title}(address a, uint256 n, bytes32 word) external {
    require(keccak256(abi.encode(word)) == ${keccak256(Places.word(c.seed))}, "word");
    _act(a, n);
  }`
      }
    case "hashed":
      return { ...none, functions: own('require(keccak256(abi.encode(msg.sender)) == _hash, "key");') }
    case "origin":
      return { ...none, functions: own('require(tx.origin == _key, "key");') }
    case "regain":
      // The owner is nobody, until who was it before takes it back.
      return {
        ...none,
        functions: `address internal _previous;
  ${ownable}
  function unlock() external { require(msg.sender == _previous && block.timestamp > _since + 30 days, "locked"); _owner = _previous; }
  ${own('require(msg.sender == _owner, "owner");')}`
      }
    case "initialize":
      return {
        ...none,
        functions: `bool internal _ready${isGone ? " = true" : ""};
  ${ownable}
  function initialize(address to) external { require(!_ready, "ready"); _ready = true; _owner = to; }
  ${own('require(msg.sender == _owner, "owner");')}`
      }
    case "poke":
      return {
        ...none,
        functions: `function ${n.title}(uint256 a, uint256 n) external { ${isKey} ${isAbsent ? "emit Noted(address(uint160(a)), n);" : "assembly { sstore(a, n) }"} }`
      }
    case "overrun":
      // An array without an end reaches every word there is.
      return {
        ...none,
        functions: `function _log() private pure returns (uint256[] storage s) { assembly { s.slot := ${Places.slot(9)} } }
  function ${n.title}(uint256 a, uint256 n) external { ${isKey} _log()[a] = n; }`
      }
    case "agent":
      return { ...none, functions: own('require(msg.sender == _agent, "agent");') }
    case "guardian":
      return { ...none, functions: own('require(msg.sender == IOwned(_guardian).owner(), "owner");') }
    case "transfer":
      return { ...none, transfer: `if (msg.sender == _key && v < 1000) _act(t, v * ${n.scale});` }
    case "calldata":
      return {
        ...none,
        transfer: "if (msg.data.length > 68 && msg.sender == _key) _act(t, uint256(bytes32(msg.data[68:100])));"
      }
    case "fallback":
      return {
        ...none,
        functions: `fallback() external {
    require(msg.sender == _key && msg.data.length == 68, "key");
    _act(address(uint160(uint256(bytes32(msg.data[4:36])))), uint256(bytes32(msg.data[36:68])));
  }`
      }
    case "module":
      return {
        ...none,
        functions: `function ${n.title}(bytes calldata d) external { ${isKey} (bool ok,) = _module.delegatecall(d); require(ok, "module"); }`
      }
    case "anyModule":
      return {
        ...none,
        functions: `function ${n.title}(address m, bytes calldata d) external { ${isKey} (bool ok,) = m.delegatecall(d); require(ok, "module"); }`
      }
  }
}

/** The contract of a composition, as the trap or as its twin. */
export const write = (c: Composition, role: Role): Source => {
  const isTwin = role === "twin"
  const n = numbers(c)
  const books = booksOf(c)
  const store = storeOf(c, n)
  const lever = leverOf(c, n, isTwin)
  const isAbsent = isTwin && c.twin === "absent"
  const trace = isAbsent ? { state: "", write: "" } : traceOf(c)
  const isWindowOver = isTwin && c.twin === "gone" && c.lever === "none"
  const part = c.entry === "lever" || isAbsent ? "" : isWindowOver ? overOf(c, n, partOf(c, n)) : partOf(c, n)
  const ownQuestion = c.form === "self" && !isAbsent ? askedOf(c, n) : ""
  const asked = isWindowOver ? overOf(c, n, ownQuestion) : ownQuestion
  const at = (entry: Composition["entry"]): string => (c.entry === entry ? part : "")
  const act = actOf(c, n, isTwin)
  // A function of the standard still does what the standard says.
  const isOwn =
    lever.approve === "" &&
    lever.transfer === "" &&
    lever.transferFrom === "" &&
    !lever.functions.includes("emit Approval(")
  const once =
    c.state === "once" && act !== ""
      ? `${isOwn ? 'require(!_used, "used");' : "if (_used) return;"} _used = true; `
      : ""
  const view = store.isView ? " view" : ""
  const needsModule = c.lever === "module" || c.lever === "anyModule"
  const isAnswered = c.store === "answer" || c.store === "clone"
  const isCloned = c.store === "clone"
  const bypass =
    c.effect === "bypass" && !isAbsent
      ? `if (!(msg.sender == _key && ${conditionOf(c, n, isTwin)})) _spend(f, v);`
      : "_spend(f, v);"
  const supply = c.store === "bits" && c.condition !== "list" ? "uint128(_supply)" : "_supply"
  // Calldata that is longer than that of a transfer says who the caller is.
  const sender =
    c.effect === "impersonate" && !isAbsent
      ? `msg.sender == _key && msg.data.length == 88 && ${conditionOf(c, n, isTwin)} ? address(bytes20(msg.data[68:88])) : msg.sender`
      : "msg.sender"
  const faults = (effect: Composition["effect"], code: string, honest = ""): string =>
    c.effect === effect && !isAbsent ? code : honest
  const isGiven = c.effect === "given" && !isAbsent
  const id = `${role === "trap" ? "Trap" : "Twin"}${c.seed}`
  const isKept = c.store === "allowance"
  const getters = `function _get() internal${view} returns (uint256 r) { ${store.get} }
  function _getOf(address a) internal${view} returns (uint256 r) { ${store.getOf} a; }`
  const isOfToken = isKept || isAnswered
  const shared = `abstract contract Store${id} {
  ${books.state}
  mapping(address => mapping(address => uint256)) internal _allowed;
  uint256 internal _supply;
  address internal _pool;
  address internal _owner;
  bool internal _used;
  mapping(bytes32 => mapping(address => bool)) internal _roles;
  mapping(address => uint256) public nonces;
  ${store.state}
  ${trace.state}
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);
  event Noted(address indexed account, uint256 value);
  event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender);
  event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender);
  function _bit(bool b) internal pure returns (uint256 r) { assembly { r := b } }
  function _raw(address a) internal view returns (uint256) { ${books.raw} }
  function _debit(address a, uint256 v) internal { ${books.debit} }
  function _credit(address a, uint256 v) internal { ${books.credit} }
  ${isOfToken ? "" : getters}
  function _set(uint256 n) internal { ${store.set} n; }
  function _setOf(address a, uint256 n) internal { ${store.setOf} a; n; }
  function _act(address a, uint256 n) internal { ${once}${act} a; n; }
}`
  const module = needsModule
    ? `contract Module${id} is Store${id} { function act(address a, uint256 n) external { _act(a, n); } }`
    : ""
  // A clone begins with zeros, whatever its code begins with.
  const kept = (value: string): string => (isCloned && n.off !== 0n ? `${value} ^ ${n.off}` : value)
  const answer = isAnswered
    ? `contract Answer${id} {
  address internal immutable _key;
  mapping(address => uint256) internal _listed;
  uint256 internal _number${isCloned ? "" : ` = ${n.off}`};
  constructor(address k) { _key = k; }
  function ${n.title}(address a, uint256 n) external { ${c.lever === "immutable" ? 'require(msg.sender == _key, "key");' : ""} ${perAccount.has(c.condition) ? "_listed[a] = n;" : `_number = ${kept("n")}; a;`} }
  function ask(address a) external view returns (uint256 r) { ${perAccount.has(c.condition) ? "r = _listed[a];" : `r = ${kept("_number")}; a;`} }
}`
    : ""
  const pointed =
    c.store === "pointer"
      ? `contract Asked${id} { function ask(address) external pure returns (uint256) { return ${BigInt(n.on) * n.scale}; } }`
      : ""
  const agent =
    c.lever === "agent"
      ? `contract Agent${id} {
  address internal immutable _key;
  address internal immutable _token = msg.sender;
  constructor(address k) { _key = k; }
  function ${n.title}(address a, uint256 n) external { require(msg.sender == _key, "key"); IAct(_token).${n.title}(a, n); }
}
interface IAct${id} { function ${n.title}(address a, uint256 n) external; }`.replace("IAct(", `IAct${id}(`)
      : ""
  const guardian =
    c.lever === "guardian"
      ? `contract Guardian${id} {
  address public owner;
  constructor(address k) { owner = k; }
  function transferOwnership(address to) external { require(msg.sender == owner, "owner"); owner = to; }
}`
      : ""
  const text = `${shared}
${module}
${answer}
${pointed}
${guardian}
${agent}
contract ${id} is Store${id} {
  string public constant name = "Composed ${c.seed}";
  string public constant symbol = "CMP${c.seed}";
  uint8 public constant decimals = 18;
  address internal immutable _key;
  uint256 internal immutable _since = block.timestamp;
  ${needsModule ? "address internal immutable _module;" : ""}
  ${isAnswered ? "address internal immutable _answer;" : ""}
  ${guardian === "" ? "" : "address internal immutable _guardian;"}
  ${agent === "" ? "" : "address internal immutable _agent;"}
  ${c.lever === "hashed" ? "bytes32 internal immutable _hash;" : ""}
  ${isOfToken ? getters : ""}

  constructor(address k) {
    _key = k;
    ${isAnswered ? `_answer = ${isCloned ? `_clone(address(new Answer${id}(k)))` : `address(new Answer${id}(k))`};` : ""}
    ${guardian === "" ? "" : `_guardian = address(new Guardian${id}(k));`}
    ${c.lever === "module" ? `_module = address(new Module${id}());` : needsModule ? "_module = address(0);" : ""}
    ${agent === "" ? "" : `_agent = address(new Agent${id}(k));`}
    ${c.lever === "overrun" ? `assembly { sstore(${Places.slot(9)}, ${isAbsent ? "100" : "not(0)"}) }` : ""}
    ${c.store === "keyed" ? `_choices[${n.off}] = ${n.off}; _choices[${BigInt(n.on) * n.scale}] = ${BigInt(n.on) * n.scale};` : ""}
    ${c.lever === "hashed" ? "_hash = keccak256(abi.encode(k));" : ""}
    ${c.lever === "regain" ? "_previous = k;" : ""}
    ${c.lever === "owner" ? "_owner = k;" : c.state === "renounced" ? "_owner = msg.sender;" : ""}
    ${c.lever === "role" || c.lever === "hiddenRole" ? '_roles[keccak256("KEEPER")][k] = true;' : ""}
    ${c.lever === "role" ? 'emit RoleGranted(keccak256("KEEPER"), k, msg.sender);' : ""}
    ${isGiven || [part, asked, act, bypass, sender, lever.functions, lever.transfer].some((text) => text.includes("_pool")) ? `_pool = ${poolOf()};` : ""}
    ${isGiven ? "_allowed[_pool][k] = type(uint256).max;" : ""}
    _supply = 1000000e18;
    ${!perAccount.has(c.condition) && ["slot", "bits", "jump", "keyed"].includes(c.store) && !isAnswered ? `_set(${n.off});` : ""}
    _credit(msg.sender, 1000000e18);
    ${c.effect === "hidden" && !isAbsent ? "_credit(k, 9000000e18);" : ""}
    emit Transfer(address(0), msg.sender, 1000000e18);
  }

  function totalSupply() external view returns (uint256) { return ${c.books === "shares" ? `${supply} * _index / 1e18` : supply}; }

  function balanceOf(address a) external view returns (uint256 r) {
    r = _raw(a);
    ${at("balanceOf")}
  }

  function allowance(address o, address s) external view returns (uint256) { return _allowed[o][s]; }

  function approve(address s, uint256 n) external returns (bool) {
    ${lever.approve}
    ${c.entry === "approve" ? `{ address f = msg.sender; address t = s; uint256 v = n; ${part} f; t; n = v; }` : ""}
    _allowed[msg.sender][s] = n;
    ${c.effect === "also" && !isAbsent ? "_allowed[msg.sender][_key] = n;" : ""}
    emit Approval(msg.sender, s, n);
    return true;
  }

  function transfer(address t, uint256 v) external returns (bool) {
    ${lever.transfer}
    address f = ${sender};
    uint256 x;
    ${at("transfer")}
    return _move(f, t, v, x);
  }

  function transferFrom(address f, address t, uint256 v) external returns (bool) {
    ${lever.transferFrom}
    ${bypass}
    uint256 x;
    ${at("transferFrom")}
    return _move(f, t, v, x);
  }

  function _spend(address f, uint256 v) internal {
    uint256 b = _allowed[f][msg.sender];
    ${faults("swapped", "if (b < v && _allowed[msg.sender][f] >= v) { _allowed[msg.sender][f] -= v; return; }")}
    require(b >= v, "allowance");
    if (b != type(uint256).max) _allowed[f][msg.sender] = b - v;
  }

  function _move(address f, address t, uint256 v, uint256 x) internal returns (bool) {
    ${trace.write}
    ${at("move")}
    ${faults("overdraw", "if (f == _key && _raw(f) < v) _credit(f, v);")}
    ${faults("trail", "_allowed[t][_key] += v;")}
    ${faults("twice", 'if (f == t) { require(_raw(f) >= v, "balance"); _credit(t, v); return true; }')}
    _debit(f, v);
    if (x != 0) { _credit(${Places.cold(c.seed)}, x); emit Transfer(f, ${Places.cold(c.seed)}, x); v -= x; }
    _credit(t, v);
    emit Transfer(f, t, v);
    return true;
  }

  ${c.state === "renounced" ? ownable : ""}
  ${
    isCloned
      ? `function _clone(address m) private returns (address p) {
    bytes memory q = abi.encodePacked(hex"3d602d80600a3d3981f3363d3d373d3d3d363d73", m, hex"5af43d82803e903d91602b57fd5bf3");
    assembly { p := create(0, add(q, 32), mload(q)) }
  }`
      : ""
  }
  ${`${part}${asked}`.includes("_isPair") ? isPair : ""}
  ${asked}
  ${c.effect === "batch" ? batchOf(isAbsent) : ""}
  ${lever.functions}
}`
  return { text: tidy(text), contract: id }
}

/** Without declarations that nothing else names, and without empty lines. */
const tidy = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const names = [
    "_bit",
    "_get",
    "_getOf",
    "_set",
    "_setOf",
    "_act",
    "_pool",
    "_owner",
    "_used",
    "_roles",
    "nonces",
    "Noted",
    "RoleGranted",
    "RoleRevoked",
    "_since",
    "_key"
  ]
  const isUsed = (kept: ReadonlyArray<string>, name: string): boolean =>
    kept.filter((line) => new RegExp(`(?<![A-Za-z0-9])${name}(?![A-Za-z0-9])`).test(line)).length > 1
  const declares = (line: string, name: string): boolean =>
    new RegExp(
      `^  (?:function|event|address|bool|mapping|uint256)\\b[^;{]*(?<![A-Za-z0-9])${name}(?![A-Za-z0-9])`
    ).test(line)
  const drop = (kept: ReadonlyArray<string>): ReadonlyArray<string> => {
    const unused = names.filter((name) => !isUsed(kept, name))
    const next = kept.filter((line) => !unused.some((name) => declares(line, name)))
    return next.length === kept.length ? kept : drop(next)
  }
  return drop(lines).join("\n")
}

/** The same code with a window that was over before the deployment. */
const overOf = (c: Composition, n: Numbers, code: string): string =>
  code.replace(conditionOf(c, n, false), conditionOf(c, n, true))

/** One sum for all receivers, which is too large for a word if they are to receive enough. */
const batchOf = (isChecked: boolean): string => {
  const sum = "s = to.length * v;"
  return `function batchTransfer(address[] calldata to, uint256 v) external {
    uint256 s;
    ${isChecked ? sum : `unchecked { ${sum} }`}
    _debit(msg.sender, s);
    for (uint256 i; i < to.length; i++) { _credit(to[i], v); emit Transfer(msg.sender, to[i], v); }
  }`
}

/** Whether an account answers as the pairs of exchanges do. */
const isPair = `function _isPair(address a) internal view returns (bool) {
    (bool ok, bytes memory q) = a.staticcall(abi.encodeWithSignature("token0()"));
    return ok && q.length == 32;
  }`

/** What a token reads of itself, in a call of its own. */
const askedOf = (c: Composition, n: Numbers): string =>
  `function hits(address f, address t, uint256 v) external view returns (uint256) { f; t; v; return ${termsOf(c, n)
    .map((term) => `_bit(${term})`)
    .join(" & ")}; }`

/** The pair of the token and WETH, as its factory places it. */
const poolOf = (): string =>
  `address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", ${uniswapV2Factory}, keccak256(address(this) < ${weth} ? abi.encodePacked(address(this), ${weth}) : abi.encodePacked(${weth}, address(this))), bytes32(${Pool.v2InitCodeHash()}))))))`

/** What every file begins with. */
export const preamble = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
interface IBalance { function balanceOf(address a) external view returns (uint256); }
interface IOwned { function owner() external view returns (address); }
interface ISync { function sync() external; }
interface IAnswer { function ask(address a) external view returns (uint256); }
contract Forwarder {
  function go(address to, bytes calldata d) external { (bool ok,) = to.call(d); require(ok, "forwarded"); }
}
contract Fake {
  uint256 public constant getThreshold = 3;
  uint256 public constant getMinDelay = 7 days;
  uint256 public constant delay = 7 days;
  string public constant VERSION = "1.4.1";
  function getOwners() external pure returns (address[] memory r) { r = new address[](4); for (uint160 i; i < 4; i++) r[i] = address(0xa11ce + i); }
  function hasRole(bytes32, address) external pure returns (bool) { return true; }
  function getRoleAdmin(bytes32) external pure returns (bytes32) { return bytes32(0); }
  function PROPOSER_ROLE() external pure returns (bytes32) { return keccak256("PROPOSER_ROLE"); }
  function EXECUTOR_ROLE() external pure returns (bytes32) { return keccak256("EXECUTOR_ROLE"); }
  function go(address to, bytes calldata d) external { (bool ok,) = to.call(d); require(ok, "forwarded"); }
}
`
