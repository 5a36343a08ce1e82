// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// The shapes of Uniswap V4's calls, written down again: nothing of its sources is compiled here.

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

struct LiquidityParams {
    int24 tickLower;
    int24 tickUpper;
    int256 liquidityDelta;
    bytes32 salt;
}

interface IManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function initialize(PoolKey calldata key, uint160 sqrtPriceX96) external returns (int24 tick);
    function modifyLiquidity(PoolKey calldata key, LiquidityParams calldata params, bytes calldata data)
        external
        returns (int256 delta, int256 fees);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata data) external returns (int256);
    function sync(address currency) external;
    function take(address currency, address to, uint256 amount) external;
    function settle() external payable returns (uint256);
    function mint(address to, uint256 id, uint256 amount) external;
    function extsload(bytes32 slot) external view returns (bytes32);
}

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// Settles with the manager for its caller. A position has its owner as the salt.
contract SwapRouter {
    IManager public immutable manager;

    uint160 private constant LOWEST = 4295128740;
    uint160 private constant HIGHEST = 1461446703485210103287273052203988822378723970341;

    constructor(IManager manager_) {
        manager = manager_;
    }

    receive() external payable {}

    /// Exact input where the amount is negative, exact output where it is positive.
    function swap(PoolKey calldata key, bool zeroForOne, int256 amount, bytes calldata data) external payable {
        manager.unlock(abi.encode(msg.sender, key, true, abi.encode(zeroForOne, amount, data)));
        refund();
    }

    function change(PoolKey calldata key, int24 lower, int24 upper, int256 liquidity) external payable {
        manager.unlock(abi.encode(msg.sender, key, false, abi.encode(lower, upper, liquidity)));
        refund();
    }

    function unlockCallback(bytes calldata raw) external returns (bytes memory) {
        require(msg.sender == address(manager));
        (address account, PoolKey memory key, bool isSwap, bytes memory rest) =
            abi.decode(raw, (address, PoolKey, bool, bytes));
        int256 delta;
        if (isSwap) {
            (bool zeroForOne, int256 amount, bytes memory data) = abi.decode(rest, (bool, int256, bytes));
            delta = manager.swap(key, SwapParams(zeroForOne, amount, zeroForOne ? LOWEST : HIGHEST), data);
        } else {
            (int24 lower, int24 upper, int256 liquidity) = abi.decode(rest, (int24, int24, int256));
            bytes32 salt = bytes32(uint256(uint160(account)));
            (delta,) = manager.modifyLiquidity(key, LiquidityParams(lower, upper, liquidity, salt), "");
        }
        balance(account, key.currency0, int128(delta >> 128));
        balance(account, key.currency1, int128(delta));
        return "";
    }

    function balance(address account, address currency, int128 delta) private {
        if (delta > 0) manager.take(currency, account, uint128(delta));
        if (delta >= 0) return;
        uint256 owed = uint128(-delta);
        if (currency == address(0)) {
            manager.settle{value: owed}();
        } else {
            manager.sync(currency);
            require(IToken(currency).transferFrom(account, address(manager), owed));
            manager.settle();
        }
    }

    function refund() private {
        if (address(this).balance == 0) return;
        (bool paid,) = msg.sender.call{value: address(this).balance}("");
        require(paid);
    }
}

/// Emits the event of a new pool, and has none.
contract FalseManager {
    event Initialize(
        bytes32 indexed id,
        address indexed currency0,
        address indexed currency1,
        uint24 fee,
        int24 tickSpacing,
        address hooks,
        uint160 sqrtPriceX96,
        int24 tick
    );

    mapping(bytes32 slot => bytes32 value) private values;

    function pretend(PoolKey calldata key, uint160 sqrtPriceX96, int24 tick) public {
        emit Initialize(
            keccak256(abi.encode(key)),
            key.currency0,
            key.currency1,
            key.fee,
            key.tickSpacing,
            key.hooks,
            sqrtPriceX96,
            tick
        );
    }

    /// The same, with a state to read: a price, and liquidity that nobody paid in.
    function pretendDeep(PoolKey calldata key, uint160 sqrtPriceX96, uint128 liquidity) external {
        bytes32 slot = keccak256(abi.encode(keccak256(abi.encode(key)), uint256(6)));
        values[slot] = bytes32(uint256(sqrtPriceX96) | (uint256(key.fee) << 208));
        values[bytes32(uint256(slot) + 3)] = bytes32(uint256(liquidity));
        pretend(key, sqrtPriceX96, 0);
    }

    function extsload(bytes32 slot) public view returns (bytes32) {
        return values[slot];
    }

    function extsload(bytes32 slot, uint256 count) external view returns (bytes32[] memory read) {
        read = new bytes32[](count);
        for (uint256 i = 0; i < count; i++) read[i] = values[bytes32(uint256(slot) + i)];
    }

    function extsload(bytes32[] calldata slots) external view returns (bytes32[] memory read) {
        read = new bytes32[](slots.length);
        for (uint256 i = 0; i < slots.length; i++) read[i] = values[slots[i]];
    }
}

abstract contract Hook {
    IManager public immutable manager;
    address public immutable token;
    address public immutable operator = msg.sender;

    uint256 internal constant MILLION = 1e6;
    /// What a fee that replaces the pool's is marked with.
    uint24 internal constant REPLACES = 0x400000;

    constructor(IManager manager_, address token_) {
        manager = manager_;
        token = token_;
    }

    modifier onlyManager() {
        require(msg.sender == address(manager));
        _;
    }

    modifier onlyOperator() {
        require(msg.sender == operator);
        _;
    }

    function isSale(PoolKey calldata key, SwapParams calldata params) internal view returns (bool) {
        return (params.zeroForOne ? key.currency0 : key.currency1) == token;
    }

    function tickOf(PoolKey calldata key) internal view returns (int24) {
        bytes32 slot = keccak256(abi.encode(keccak256(abi.encode(key)), uint256(6)));
        return int24(int256(uint256(manager.extsload(slot)) >> 160));
    }
}

abstract contract BeforeSwap is Hook {
    function beforeSwap(address, PoolKey calldata key, SwapParams calldata params, bytes calldata)
        external
        onlyManager
        returns (bytes4, int256, uint24)
    {
        (int256 taken, uint24 fee) = before(key, params);
        return (this.beforeSwap.selector, taken, fee);
    }

    function before(PoolKey calldata key, SwapParams calldata params) internal virtual returns (int256, uint24);
}

abstract contract AfterSwap is Hook {
    function afterSwap(address, PoolKey calldata key, SwapParams calldata params, int256 delta, bytes calldata)
        external
        onlyManager
        returns (bytes4, int128)
    {
        return (this.afterSwap.selector, afterwards(key, params, delta));
    }

    function afterwards(PoolKey calldata key, SwapParams calldata params, int256 delta)
        internal
        virtual
        returns (int128);
}

abstract contract AfterInitialize is Hook {
    function afterInitialize(address, PoolKey calldata key, uint160, int24 tick)
        external
        onlyManager
        returns (bytes4)
    {
        initialized(key, tick);
        return this.afterInitialize.selector;
    }

    function initialized(PoolKey calldata key, int24 tick) internal virtual;
}

// Traps.

/// Nobody can sell.
contract BlocksSales is BeforeSwap {
    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function before(PoolKey calldata key, SwapParams calldata params) internal view override returns (int256, uint24) {
        require(!isSale(key, params), "not now");
        return (0, 0);
    }
}

/// Only the accounts of a list can sell.
contract ListsSellers is BeforeSwap {
    mapping(address account => bool) public listed;

    constructor(IManager manager_, address token_) Hook(manager_, token_) {
        listed[msg.sender] = true;
    }

    function list(address account, bool isListed) external onlyOperator {
        listed[account] = isListed;
    }

    function before(PoolKey calldata key, SwapParams calldata params) internal view override returns (int256, uint24) {
        require(!isSale(key, params) || listed[tx.origin], "not listed");
        return (0, 0);
    }
}

/// Takes 5 % of what a purchase gives and 60 % of what a sale gives, as a claim on the manager.
contract TakesByDelta is AfterSwap {
    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function afterwards(PoolKey calldata key, SwapParams calldata params, int256 delta)
        internal
        override
        returns (int128)
    {
        bool is0 = (params.amountSpecified < 0) != params.zeroForOne;
        int256 moved = is0 ? delta >> 128 : int256(int128(delta));
        uint256 amount = uint256(moved < 0 ? -moved : moved);
        uint256 taken = (amount * (isSale(key, params) ? 600_000 : 50_000)) / MILLION;
        manager.mint(address(this), uint256(uint160(is0 ? key.currency0 : key.currency1)), taken);
        return int128(int256(taken));
    }
}

/// Takes 80 % of what is sold out of the manager, before the rest is swapped.
contract TakesByTake is BeforeSwap {
    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function before(PoolKey calldata key, SwapParams calldata params) internal override returns (int256, uint24) {
        if (!isSale(key, params)) return (0, 0);
        require(params.amountSpecified < 0, "exact input only");
        uint256 taken = (uint256(-params.amountSpecified) * 800_000) / MILLION;
        manager.take(token, address(this), taken);
        return (int256(taken) << 128, 0);
    }
}

abstract contract FeeOfTime is BeforeSwap {
    uint256 public opened = block.timestamp;

    function open() external onlyOperator {
        opened = block.timestamp;
    }

    function before(PoolKey calldata, SwapParams calldata) internal view override returns (int256, uint24) {
        return (0, feeAfter(block.timestamp - opened) | REPLACES);
    }

    function feeAfter(uint256 age) public pure virtual returns (uint24);
}

/// A fee of 0.3 % on the first day and of 90 % from then on.
contract FeeRisesInADay is FeeOfTime {
    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function feeAfter(uint256 age) public pure override returns (uint24) {
        return age < 1 days ? 3_000 : 900_000;
    }
}

/// A fee that opens at 99 % and falls to 0.3 % within 20 seconds.
contract FeeFallsFromTheTop is FeeOfTime {
    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function feeAfter(uint256 age) public pure override returns (uint24) {
        return age < 20 ? uint24(990_000 - (987_000 * age) / 20) : 3_000;
    }
}

/// Swaps as any pool; what was paid in stays in until the operator allows otherwise.
contract KeepsLiquidity is Hook {
    bool public isOpen;

    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function set(bool open) external onlyOperator {
        isOpen = open;
    }

    function beforeRemoveLiquidity(address, PoolKey calldata, LiquidityParams calldata, bytes calldata)
        external
        view
        onlyManager
        returns (bytes4)
    {
        require(isOpen, "not yet");
        return this.beforeRemoveLiquidity.selector;
    }
}

/// Has no right to change what a swap gives, and trades around each purchase instead: it buys first and sells after.
contract TradesAround is BeforeSwap, AfterSwap {
    uint256 private bought;

    constructor(IManager manager_, address token_) payable Hook(manager_, token_) {}

    receive() external payable {}

    function before(PoolKey calldata key, SwapParams calldata params) internal override returns (int256, uint24) {
        bought = 0;
        if (isSale(key, params) || key.currency0 != address(0) || params.amountSpecified >= 0) return (0, 0);
        uint256 own = uint256(-params.amountSpecified);
        if (own > address(this).balance) own = address(this).balance;
        if (own == 0) return (0, 0);
        int256 delta = manager.swap(key, SwapParams(true, -int256(own), 4295128740), "");
        manager.settle{value: own}();
        bought = uint128(int128(delta));
        manager.take(token, address(this), bought);
        return (0, 0);
    }

    function afterwards(PoolKey calldata key, SwapParams calldata, int256) internal override returns (int128) {
        if (bought == 0) return 0;
        int256 delta = manager.swap(
            key, SwapParams(false, -int256(bought), 1461446703485210103287273052203988822378723970341), ""
        );
        manager.sync(token);
        require(IToken(token).transfer(address(manager), bought));
        manager.settle();
        manager.take(address(0), address(this), uint128(int128(delta >> 128)));
        bought = 0;
        return 0;
    }
}

// Honest hooks.

/// Runs before each swap, and does nothing.
contract PassesSwaps is BeforeSwap {
    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function before(PoolKey calldata, SwapParams calldata) internal pure override returns (int256, uint24) {
        return (0, 0);
    }
}

/// Counts swaps and what they moved.
contract CountsSwaps is BeforeSwap, AfterSwap {
    mapping(bytes32 pool => uint256) public begun;
    mapping(bytes32 pool => uint256) public done;
    mapping(bytes32 pool => uint256) public moved;

    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function before(PoolKey calldata key, SwapParams calldata) internal override returns (int256, uint24) {
        begun[keccak256(abi.encode(key))]++;
        return (0, 0);
    }

    function afterwards(PoolKey calldata key, SwapParams calldata, int256 delta) internal override returns (int128) {
        bytes32 id = keccak256(abi.encode(key));
        int128 amount = int128(delta);
        done[id]++;
        unchecked {
            moved[id] += uint128(amount < 0 ? -amount : amount);
        }
        return 0;
    }
}

/// Orders are liquidity of one tick spacing; those that a swap crossed are taken out after it, for their owners.
contract FillsOrders is AfterInitialize, AfterSwap {
    struct Order {
        address owner;
        uint128 liquidity;
        bool isSale;
    }

    mapping(bytes32 pool => int24) public lastTick;
    mapping(bytes32 pool => mapping(int24 tick => Order)) public orders;
    mapping(address owner => mapping(address currency => uint256)) public due;

    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function initialized(PoolKey calldata key, int24 tick) internal override {
        lastTick[keccak256(abi.encode(key))] = floor(tick, key.tickSpacing);
    }

    function floor(int24 tick, int24 spacing) private pure returns (int24 lower) {
        lower = tick / spacing;
        if (tick < 0 && tick % spacing != 0) lower--;
        return lower * spacing;
    }

    function place(PoolKey calldata key, int24 lower, uint128 liquidity) external {
        bytes32 id = keccak256(abi.encode(key));
        require(orders[id][lower].owner == address(0) && lower % key.tickSpacing == 0 && lower != lastTick[id]);
        orders[id][lower] = Order(msg.sender, liquidity, lower > lastTick[id]);
        manager.unlock(abi.encode(msg.sender, key, lower, liquidity));
    }

    /// Orders above the price are of currency 0 and those below it of currency 1, which are paid in tokens only.
    function unlockCallback(bytes calldata raw) external onlyManager returns (bytes memory) {
        (address account, PoolKey memory key, int24 lower, uint128 liquidity) =
            abi.decode(raw, (address, PoolKey, int24, uint128));
        (int256 delta,) = manager.modifyLiquidity(
            key, LiquidityParams(lower, lower + key.tickSpacing, int256(uint256(liquidity)), 0), ""
        );
        pay(account, key.currency0, int128(delta >> 128));
        pay(account, key.currency1, int128(delta));
        return "";
    }

    function pay(address account, address currency, int128 delta) private {
        if (delta == 0) return;
        manager.sync(currency);
        require(IToken(currency).transferFrom(account, address(manager), uint128(-delta)));
        manager.settle();
    }

    function afterwards(PoolKey calldata key, SwapParams calldata, int256) internal override returns (int128) {
        bytes32 id = keccak256(abi.encode(key));
        int24 from = lastTick[id];
        int24 to = floor(tickOf(key), key.tickSpacing);
        // What is further away waits for the next swap.
        int24 most = key.tickSpacing * 16;
        if (to > from + most) to = from + most;
        if (to < from - most) to = from - most;
        for (int24 tick = from; tick < to; tick += key.tickSpacing) fill(key, id, tick, true);
        for (int24 tick = from; tick > to; tick -= key.tickSpacing) fill(key, id, tick, false);
        lastTick[id] = to;
        return 0;
    }

    function fill(PoolKey calldata key, bytes32 id, int24 tick, bool isSale_) private {
        Order memory order = orders[id][tick];
        if (order.owner == address(0) || order.isSale != isSale_) return;
        delete orders[id][tick];
        (int256 delta,) = manager.modifyLiquidity(
            key, LiquidityParams(tick, tick + key.tickSpacing, -int256(uint256(order.liquidity)), 0), ""
        );
        keep(order.owner, key.currency0, int128(delta >> 128));
        keep(order.owner, key.currency1, int128(delta));
    }

    function keep(address owner, address currency, int128 delta) private {
        if (delta <= 0) return;
        manager.take(currency, address(this), uint128(delta));
        due[owner][currency] += uint128(delta);
    }

    receive() external payable {}

    function claim(address currency) external {
        uint256 amount = due[msg.sender][currency];
        due[msg.sender][currency] = 0;
        if (currency == address(0)) {
            (bool paid,) = msg.sender.call{value: amount}("");
            require(paid);
        } else {
            require(IToken(currency).transfer(msg.sender, amount));
        }
    }
}

/// Writes down time and tick before the first swap of each block.
contract ObservesPrice is AfterInitialize, BeforeSwap {
    struct Observation {
        uint32 timestamp;
        int56 tickCumulative;
    }

    mapping(bytes32 pool => Observation[64]) public observations;
    mapping(bytes32 pool => uint256) public count;
    mapping(bytes32 pool => int24) public lastTick;

    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function initialized(PoolKey calldata key, int24 tick) internal override {
        bytes32 id = keccak256(abi.encode(key));
        observations[id][0] = Observation(uint32(block.timestamp), 0);
        count[id] = 1;
        lastTick[id] = tick;
    }

    function before(PoolKey calldata key, SwapParams calldata) internal override returns (int256, uint24) {
        bytes32 id = keccak256(abi.encode(key));
        Observation memory last = observations[id][(count[id] - 1) % 64];
        uint32 now_ = uint32(block.timestamp);
        if (last.timestamp == now_) return (0, 0);
        int24 tick = tickOf(key);
        int56 passed = int56(uint56(now_ - last.timestamp));
        observations[id][count[id] % 64] = Observation(now_, last.tickCumulative + int56(tick) * passed);
        count[id]++;
        lastTick[id] = tick;
        return (0, 0);
    }
}

/// A fee of 0.05 %, and of 0.3 % within a minute of the swap before.
contract BoundedFee is BeforeSwap {
    mapping(bytes32 pool => uint256) public lastSwap;

    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function before(PoolKey calldata key, SwapParams calldata) internal override returns (int256, uint24) {
        bytes32 id = keccak256(abi.encode(key));
        uint24 fee = block.timestamp - lastSwap[id] < 1 minutes ? 3_000 : 500;
        lastSwap[id] = block.timestamp;
        return (0, fee | REPLACES);
    }
}

/// Has nothing to do with swaps: its operator alone makes pools with it, and it counts what is paid in.
contract CountsProviders is Hook {
    mapping(bytes32 pool => uint256) public additions;

    constructor(IManager manager_, address token_) Hook(manager_, token_) {}

    function beforeInitialize(address sender, PoolKey calldata, uint160) external view onlyManager returns (bytes4) {
        require(sender == operator);
        return this.beforeInitialize.selector;
    }

    function afterAddLiquidity(
        address,
        PoolKey calldata key,
        LiquidityParams calldata,
        int256,
        int256,
        bytes calldata
    ) external onlyManager returns (bytes4, int256) {
        additions[keccak256(abi.encode(key))]++;
        return (this.afterAddLiquidity.selector, 0);
    }
}
