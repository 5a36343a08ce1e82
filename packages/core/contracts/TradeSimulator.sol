// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice Where a token is traded. `funding` says how native coin becomes `quote` before the trade: zero, not at all
/// (the router takes native coin); the wrapped coin, by its `deposit()`; else by this router of the Uniswap V2 shape. A `quote`
/// that is zero is native coin itself.
struct Route {
    Kind kind;
    uint24 fee;
    address router;
    address pool;
    address token;
    address quote;
    address wrapped;
    address funding;
}

/// @notice The interface of the exchange's router: Uniswap's UniswapV2Router02, SwapRouter02 or SwapRouter, of which the
/// last takes a deadline.
enum Kind {
    Pair,
    Pool,
    PoolWithDeadline
}

/// @notice What is to be traded: `spend` wei of native coin on the target, after `controlSpend` on the control, which
/// is left out where its router is zero. `peer` receives the plain transfer. `legGas` bounds each leg.
struct Plan {
    Route target;
    Route control;
    address peer;
    uint256 spend;
    uint256 controlSpend;
    uint256 legGas;
}

/// @notice What one leg did, in balances. `quoted` is what the exchange promised before the leg, `arrived` what came:
/// of the token (buy, transfer) or of the quote (sell). Reserves are the pool's, before and after. `used` is what of the token a
/// pool of a manager says that it took in a sale, for which alone `quoted` is then; zero elsewhere.
struct Leg {
    State state;
    uint256 gas;
    uint256 sent;
    uint256 quoted;
    uint256 used;
    uint256 arrived;
    uint256 tokenBefore;
    uint256 quoteBefore;
    uint256 tokenAfter;
    uint256 quoteAfter;
    bytes reason;
}

/// @notice `Silent`: the call succeeded and moved nothing.
enum State {
    NotReached,
    Done,
    Reverted,
    Silent
}

struct Trip {
    Leg buy;
    Leg transfer;
    Leg sell;
}

struct Outcome {
    Trip target;
    Trip control;
}

/// @notice Buys, moves and sells a token through an exchange's own router and reports balances. Nothing that the token
/// returns is believed, its calls are bounded in gas and its revert data in length.
library TradeSimulator {
    uint256 private constant READ_GAS = 100_000;
    uint256 private constant PLAIN_GAS = 1_000_000;
    uint256 private constant ERROR_BYTES = 256;

    function run(Plan memory plan) internal returns (Outcome memory outcome) {
        // The control goes first, while nothing of the target has run yet.
        if (plan.control.router != address(0)) outcome.control = trip(plan.control, plan.peer, plan.controlSpend, plan.legGas);
        outcome.target = trip(plan.target, plan.peer, plan.spend, plan.legGas);
    }

    function trip(Route memory route, address peer, uint256 spend, uint256 legGas) private returns (Trip memory done) {
        uint256 budget = spend;
        bool native = route.funding == address(0);
        if (!native) {
            uint256 held = balance(route.quote, address(this));
            (bool funded,, bytes memory why) = call(
                route.funding,
                spend,
                route.funding == route.wrapped
                    ? abi.encodeWithSignature("deposit()")
                    : abi.encodeWithSignature(
                        "swapExactETHForTokens(uint256,address[],address,uint256)",
                        0, path(route.wrapped, route.quote), address(this), type(uint256).max
                    ),
                PLAIN_GAS
            );
            budget = grown(held, balance(route.quote, address(this)));
            if (!funded || budget == 0) {
                done.buy.reason = why;
                return done;
            }
            approve(route.quote, route.router);
        }

        done.buy = buy(route, native, budget, legGas);
        uint256 owned = balance(route.token, address(this));
        if (done.buy.state != State.Done || owned == 0) return done;

        if (owned >= 10) done.transfer = transfer(route, peer, owned / 10, legGas);
        approve(route.token, route.router);
        owned = balance(route.token, address(this));
        // A part, because a limit of what is sold at once is for other simulations to find.
        if (owned > 0) done.sell = sell(route, native, owned < 10 ? owned : owned / 10, legGas);
    }

    function buy(Route memory route, bool native, uint256 amount, uint256 legGas) private returns (Leg memory leg) {
        leg.quoted = quote(route, amount, route.quote, route.token);
        (leg.tokenBefore, leg.quoteBefore) = reserves(route);
        uint256 held = balance(route.token, address(this));
        (bool ok, uint256 gas, bytes memory result) =
            call(route.router, native ? amount : 0, purchase(route, native, amount), legGas);
        leg.gas = gas;
        leg.sent = amount;
        leg.arrived = grown(held, balance(route.token, address(this)));
        (leg.tokenAfter, leg.quoteAfter) = reserves(route);
        // The third version's router answers with what the pool sent out, whatever the token made of it.
        if (route.kind != Kind.Pair && ok && result.length >= 32) leg.quoted = abi.decode(result, (uint256));
        judge(leg, ok, leg.arrived > 0, result);
    }

    function transfer(Route memory route, address peer, uint256 amount, uint256 legGas) private returns (Leg memory leg) {
        uint256 held = balance(route.token, address(this));
        uint256 theirs = balance(route.token, peer);
        (bool ok, uint256 gas, bytes memory result) =
            call(route.token, 0, abi.encodeWithSignature("transfer(address,uint256)", peer, amount), legGas);
        leg.gas = gas;
        leg.quoted = amount;
        leg.sent = grown(balance(route.token, address(this)), held);
        leg.arrived = grown(theirs, balance(route.token, peer));
        judge(leg, ok, leg.sent > 0 || leg.arrived > 0, result);
    }

    function sell(Route memory route, bool native, uint256 amount, uint256 legGas) private returns (Leg memory leg) {
        leg.quoted = quote(route, amount, route.token, route.quote);
        (leg.tokenBefore, leg.quoteBefore) = reserves(route);
        // Pools pay in the wrapped coin; the router of pairs unwraps it.
        bool unwraps = native && route.kind == Kind.Pair;
        uint256 held = balance(route.token, address(this));
        uint256 paid = unwraps ? address(this).balance : balance(route.quote, address(this));
        (bool ok, uint256 gas, bytes memory result) = call(route.router, 0, sale(route, native, amount), legGas);
        leg.gas = gas;
        leg.sent = grown(balance(route.token, address(this)), held);
        leg.arrived = grown(paid, unwraps ? address(this).balance : balance(route.quote, address(this)));
        (leg.tokenAfter, leg.quoteAfter) = reserves(route);
        if (route.kind != Kind.Pair && ok && result.length >= 32) leg.quoted = abi.decode(result, (uint256));
        // The router of a manager's pools answers with more: see `ManagerRouter.Done`.
        if (route.kind != Kind.Pair && ok && result.length >= 128) (,,, leg.used) = abi.decode(result, (uint256, uint256, uint256, uint256));
        judge(leg, ok, leg.arrived > 0, result);
    }

    function judge(Leg memory leg, bool ok, bool moved, bytes memory result) private pure {
        leg.state = ok ? (moved ? State.Done : State.Silent) : State.Reverted;
        if (!ok) leg.reason = result;
    }

    function purchase(Route memory route, bool native, uint256 amount) private view returns (bytes memory) {
        if (route.kind != Kind.Pair) return single(route, route.quote, route.token, amount);
        return native
            ? abi.encodeWithSignature(
                "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)",
                0, path(route.quote, route.token), address(this), type(uint256).max
            )
            : abi.encodeWithSignature(
                "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)",
                amount, 0, path(route.quote, route.token), address(this), type(uint256).max
            );
    }

    function sale(Route memory route, bool native, uint256 amount) private view returns (bytes memory) {
        if (route.kind != Kind.Pair) return single(route, route.token, route.quote, amount);
        return native
            ? abi.encodeWithSignature(
                "swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)",
                amount, 0, path(route.token, route.quote), address(this), type(uint256).max
            )
            : abi.encodeWithSignature(
                "swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)",
                amount, 0, path(route.token, route.quote), address(this), type(uint256).max
            );
    }

    function single(Route memory route, address from, address to, uint256 amount) private view returns (bytes memory) {
        return route.kind == Kind.Pool
            ? abi.encodeWithSignature(
                "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
                from, to, route.fee, address(this), amount, 0, 0
            )
            : abi.encodeWithSignature(
                "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))",
                from, to, route.fee, address(this), type(uint256).max, amount, 0, 0
            );
    }

    /// Only pairs can be asked before the trade; the quoter of pools is not a view.
    function quote(Route memory route, uint256 amount, address from, address to) private view returns (uint256) {
        if (route.kind != Kind.Pair) return 0;
        bytes memory data = abi.encodeWithSignature("getAmountsOut(uint256,address[])", amount, path(from, to));
        // The answer is an array of two: offset, length, amount in, amount out.
        uint256[4] memory words = read(route.router, data);
        return words[3];
    }

    function reserves(Route memory route) private view returns (uint256 ofToken, uint256 ofQuote) {
        if (route.kind != Kind.Pair) return (balance(route.token, route.pool), balance(route.quote, route.pool));
        uint256[4] memory words = read(route.pool, abi.encodeWithSignature("getReserves()"));
        return route.token < route.quote ? (words[0], words[1]) : (words[1], words[0]);
    }

    function balance(address token, address account) private view returns (uint256) {
        if (token == address(0)) return account.balance;
        return read(token, abi.encodeWithSignature("balanceOf(address)", account))[0];
    }

    function approve(address token, address spender) private {
        call(token, 0, abi.encodeWithSignature("approve(address,uint256)", spender, type(uint256).max), PLAIN_GAS);
    }

    function path(address from, address to) private pure returns (address[] memory hops) {
        hops = new address[](2);
        (hops[0], hops[1]) = (from, to);
    }

    function grown(uint256 before, uint256 then) private pure returns (uint256) {
        return then > before ? then - before : 0;
    }

    /// Four words of a view's answer, zero where it gave less: no answer can revert or cost more than `READ_GAS`.
    function read(address account, bytes memory data) private view returns (uint256[4] memory words) {
        assembly {
            if iszero(staticcall(READ_GAS, account, add(data, 32), mload(data), words, 128)) {
                mstore(words, 0)
                mstore(add(words, 32), 0)
                mstore(add(words, 64), 0)
                mstore(add(words, 96), 0)
            }
        }
    }

    function call(address account, uint256 value, bytes memory data, uint256 limit)
        private
        returns (bool ok, uint256 gas, bytes memory result)
    {
        uint256 size;
        gas = gasleft();
        assembly {
            ok := call(limit, account, value, add(data, 32), mload(data), 0, 0)
            size := returndatasize()
        }
        gas -= gasleft();
        if (size > ERROR_BYTES) size = ERROR_BYTES;
        result = new bytes(size);
        assembly {
            returndatacopy(add(result, 32), 0, size)
        }
    }
}

/// @notice The simulator as code that a state override puts at a wallet's address.
contract TradeSimulatorRuntime {
    function run(Plan memory plan) external payable returns (Outcome memory) {
        return TradeSimulator.run(plan);
    }

    receive() external payable {}
}

/// @notice The simulator as init code: a call without a recipient runs it and gets the outcome where code would be.
contract TradeSimulatorConstructor {
    constructor(Plan memory plan) payable {
        bytes memory outcome = abi.encode(TradeSimulator.run(plan));
        assembly {
            return(add(outcome, 32), mload(outcome))
        }
    }
}

/// @notice Does for accounts without code what needs an amount that only the chain knows. Nothing that a token returns
/// is believed or copied at length.
contract TradeClerk {
    uint256 private constant READ_GAS = 100_000;

    /// Two balances, each as whether it could be read and what it is.
    function balances(address token, address first, address second)
        external
        view
        returns (bool firstRead, uint256 ofFirst, bool secondRead, uint256 ofSecond)
    {
        (firstRead, ofFirst) = balance(token, first);
        (secondRead, ofSecond) = balance(token, second);
    }

    /// Moves what the caller holds beyond `keep` to `to`, by his allowance.
    function trim(address token, uint256 keep, address to) external {
        (bool known, uint256 held) = balance(token, msg.sender);
        if (!known || held <= keep) return;
        bytes memory data =
            abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, to, held - keep);
        assembly {
            pop(call(gas(), token, 0, add(data, 32), mload(data), 0, 0))
        }
    }

    function balance(address token, address account) private view returns (bool known, uint256 amount) {
        bytes memory data = abi.encodeWithSignature("balanceOf(address)", account);
        assembly {
            mstore(0, 0)
            known := staticcall(READ_GAS, token, add(data, 32), mload(data), 0, 32)
            known := and(known, gt(returndatasize(), 31))
            amount := mul(known, mload(0))
        }
    }
}
