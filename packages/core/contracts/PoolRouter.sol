// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Coin, OwnRouter} from "./OwnRouter.sol";

interface Pair {
    function getReserves() external view returns (uint112 first, uint112 second, uint32 time);
    function swap(uint256 firstOut, uint256 secondOut, address to, bytes calldata data) external;
}

interface Pool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256 first, int256 second);
}

/// @notice Trades in pairs of the Uniswap V2 shape as UniswapV2Router02 does, and in pools of the V3 shape as SwapRouter02 does,
/// by the functions of theirs that a simulation calls, with the same amounts and the same words where a trade fails. It is put at
/// an address by a state override, and knows its pools by words behind its code: the factory of the pairs and the hash of their
/// init code, the deployer of the pools and the hash of theirs, and the wrapped coin.
contract PoolRouter is OwnRouter {
    function swapExactETHForTokens(uint256 least, address[] calldata path, address to, uint256) external payable {
        buy(least, path, to);
    }

    function swapExactETHForTokensSupportingFeeOnTransferTokens(
        uint256 least,
        address[] calldata path,
        address to,
        uint256
    ) external payable {
        buy(least, path, to);
    }

    function swapExactTokensForTokensSupportingFeeOnTransferTokens(
        uint256 amount,
        uint256 least,
        address[] calldata path,
        address to,
        uint256
    ) external {
        take(path[0], pairOf(path), amount, "TransferHelper: TRANSFER_FROM_FAILED");
        swap(least, path, to);
    }

    function swapExactTokensForETHSupportingFeeOnTransferTokens(
        uint256 amount,
        uint256 least,
        address[] calldata path,
        address to,
        uint256
    ) external {
        take(path[0], pairOf(path), amount, "TransferHelper: TRANSFER_FROM_FAILED");
        uint256 given = swap(least, path, address(this));
        Coin(wrapped()).withdraw(given);
        (bool ok,) = to.call{value: given}("");
        require(ok, "TransferHelper: ETH_TRANSFER_FAILED");
    }

    function getAmountsOut(uint256 amount, address[] calldata path) external view returns (uint256[] memory amounts) {
        (uint256 ofInto, uint256 ofFrom) = reserves(path);
        amounts = new uint256[](2);
        (amounts[0], amounts[1]) = (amount, amountOut(amount, ofInto, ofFrom, 30));
    }

    function exactInputSingle(Single calldata wanted) external payable returns (uint256 given) {
        bool zeroForOne = wanted.tokenIn < wanted.tokenOut;
        (int256 first, int256 second) = Pool(poolOf(wanted.tokenIn, wanted.tokenOut, wanted.fee)).swap(
            wanted.recipient,
            zeroForOne,
            int256(wanted.amountIn),
            zeroForOne ? LOWEST : HIGHEST,
            abi.encode(wanted.tokenIn, wanted.tokenOut, wanted.fee, msg.sender)
        );
        given = uint256(-(zeroForOne ? second : first));
        require(given >= wanted.amountOutMinimum, "Too little received");
    }

    /// What a pool of the V3 shape calls to be paid, which forks have named as they liked.
    fallback() external {
        (int256 first, int256 second, bytes memory data) = abi.decode(msg.data[4:], (int256, int256, bytes));
        (address into, address from, uint24 fee, address payer) = abi.decode(data, (address, address, uint24, address));
        require(msg.sender == poolOf(into, from, fee));
        uint256 amount = uint256(first > 0 ? first : second);
        if (into == wrapped() && address(this).balance >= amount) {
            Coin(into).deposit{value: amount}();
            Coin(into).transfer(msg.sender, amount);
        } else {
            takeFrom(payer, into, msg.sender, amount, "STF");
        }
    }

    receive() external payable {}

    function buy(uint256 least, address[] calldata path, address to) private {
        Coin(wrapped()).deposit{value: msg.value}();
        Coin(wrapped()).transfer(pairOf(path), msg.value);
        swap(least, path, to);
    }

    /// A pair does not say which part of what is paid it keeps: three of a thousand, as the first one does, and more where it
    /// refuses that as too little. Any other refusal is the token's.
    function swap(uint256 least, address[] calldata path, address to) private returns (uint256 given) {
        (uint256 ofInto, uint256 ofFrom) = reserves(path);
        address pair = pairOf(path);
        uint256 paid = Coin(path[0]).balanceOf(pair) - ofInto;
        uint256 held = Coin(path[1]).balanceOf(to);
        bool isFirst = path[0] < path[1];
        for (uint256 fee = 30;; fee = fee == 30 ? 100 : 300) {
            uint256 out = amountOut(paid, ofInto, ofFrom, fee);
            (bool ok, bytes memory why) =
                pair.call(abi.encodeCall(Pair.swap, (isFirst ? 0 : out, isFirst ? out : 0, to, "")));
            if (ok) break;
            if (fee < 300 && isUnderpaid(why)) continue;
            assembly {
                revert(add(why, 32), mload(why))
            }
        }
        given = Coin(path[1]).balanceOf(to) - held;
        require(given >= least, "UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT");
    }

    /// Whether a pair says that its constant product fell: forks put their own name before the K.
    function isUnderpaid(bytes memory why) private pure returns (bool) {
        if (why.length < 100) return false;
        uint256 size;
        assembly {
            size := mload(add(why, 68))
        }
        return size > 0 && size <= why.length - 68 && why[67 + size] == "K";
    }

    function amountOut(uint256 paid, uint256 ofInto, uint256 ofFrom, uint256 fee) private pure returns (uint256) {
        require(paid > 0, "UniswapV2Library: INSUFFICIENT_INPUT_AMOUNT");
        require(ofInto > 0 && ofFrom > 0, "UniswapV2Library: INSUFFICIENT_LIQUIDITY");
        uint256 net = paid * (10_000 - fee);
        return net * ofFrom / (ofInto * 10_000 + net);
    }

    function reserves(address[] calldata path) private view returns (uint256 ofInto, uint256 ofFrom) {
        (ofInto, ofFrom,) = Pair(pairOf(path)).getReserves();
        if (path[0] > path[1]) (ofInto, ofFrom) = (ofFrom, ofInto);
    }

    function take(address token, address to, uint256 amount, string memory words) private {
        takeFrom(msg.sender, token, to, amount, words);
    }

    /// By the caller's allowance. A token that answers nothing has moved it: https://eips.ethereum.org/EIPS/eip-20
    function takeFrom(address payer, address token, address to, uint256 amount, string memory words) private {
        (bool ok, bytes memory answer) =
            token.call(abi.encodeWithSignature("transferFrom(address,address,uint256)", payer, to, amount));
        require(ok && (answer.length == 0 || abi.decode(answer, (bool))), words);
    }

    function pairOf(address[] calldata path) private pure returns (address) {
        (address a, address b) = sorted(path[0], path[1]);
        return made(last(4), keccak256(abi.encodePacked(a, b)), last(3));
    }

    function poolOf(address one, address other, uint24 fee) private pure returns (address) {
        (address a, address b) = sorted(one, other);
        return made(last(2), keccak256(abi.encode(a, b, fee)), last(1));
    }

    function sorted(address a, address b) private pure returns (address, address) {
        return a < b ? (a, b) : (b, a);
    }

    /// https://eips.ethereum.org/EIPS/eip-1014
    function made(uint256 by, bytes32 salt, uint256 code) private pure returns (address) {
        return address(
            uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(uint160(by)), salt, bytes32(code)))))
        );
    }

    function wrapped() private pure returns (address) {
        return address(uint160(last(0)));
    }
}
