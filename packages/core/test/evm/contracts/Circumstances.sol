// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Tokens whose transfers go by one thing besides balances each.
abstract contract Circumstantial {
    mapping(address holder => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = 1e18;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 arrives = _arriving(to, value);
        balanceOf[msg.sender] -= value;
        balanceOf[to] += arrives;
        return true;
    }

    function _arriving(address to, uint256 value) internal virtual returns (uint256);
}

contract ByGas is Circumstantial {
    function _arriving(address, uint256 value) internal view override returns (uint256) {
        return gasleft() < 1_500_000 ? value / 50 : value;
    }
}

contract ByFees is Circumstantial {
    function _arriving(address, uint256 value) internal view override returns (uint256) {
        require(tx.gasprice <= block.basefee + 1 gwei);
        return value;
    }
}

/// Without a branch.
contract ByPrice is Circumstantial {
    function _arriving(address, uint256 value) internal view override returns (uint256) {
        return value - tx.gasprice;
    }
}

contract ByProposer is Circumstantial {
    function _arriving(address to, uint256 value) internal view override returns (uint256) {
        require(block.coinbase != to);
        return value;
    }
}

contract ByChance is Circumstantial {
    function _arriving(address to, uint256 value) internal view override returns (uint256) {
        require(uint256(keccak256(abi.encode(block.prevrandao, to))) % 20 == 0);
        return value;
    }
}

contract ByCode is Circumstantial {
    function _arriving(address to, uint256 value) internal view override returns (uint256) {
        require(to.code.length != 23);
        return value;
    }
}

contract ByHash is Circumstantial {
    function _arriving(address, uint256 value) internal view override returns (uint256) {
        require(msg.sender.codehash != keccak256("\xef\x01\x00"));
        return value;
    }
}

contract ByWealth is Circumstantial {
    function _arriving(address, uint256 value) internal view override returns (uint256) {
        require(msg.sender.balance > 1 ether);
        return value;
    }
}

interface IAnswering {
    function limit() external view returns (uint256);
    function isOpen() external view returns (bool);
    function told(address to, uint256 value) external returns (bool);
}

contract ByAnswer is Circumstantial {
    function _arriving(address, uint256 value) internal view override returns (uint256) {
        require(value < IAnswering(address(0xbeef)).limit());
        return value;
    }
}

contract BySwitch is Circumstantial {
    function _arriving(address, uint256 value) internal view override returns (uint256) {
        require(IAnswering(address(0xbeef)).isOpen());
        return value;
    }
}

contract ByLibrary is Circumstantial {
    function _arriving(address, uint256 value) internal override returns (uint256) {
        (bool ok,) = address(0xbeef).delegatecall("");
        require(ok);
        return value;
    }
}

/// Only whether there is code, what the caller sees by himself, and an answer that nobody looks at.
contract ByNothing is Circumstantial {
    uint256 private _since = block.timestamp;

    function _arriving(address to, uint256 value) internal override returns (uint256) {
        require(to != address(0) && block.timestamp > _since);
        require(to.code.length == 0 || msg.sender.code.length > 0);
        require(to.codehash != keccak256(""));
        IAnswering(address(0xbeef)).told(to, value);
        return value;
    }
}

// Where nothing branches on it.

contract PlacedByPrice is Circumstantial {
    function _arriving(address, uint256 value) internal override returns (uint256) {
        assembly { sstore(add(4444, gt(gasprice(), 0)), 1) }
        return value;
    }
}

contract SpentByProposer is Circumstantial {
    function _arriving(address, uint256 value) internal override returns (uint256) {
        assembly { mstore(mul(eq(coinbase(), 7), shl(200, 1)), 0) }
        return value;
    }
}

contract AnsweredByChance is Circumstantial {
    function _arriving(address, uint256 value) internal override returns (uint256) {
        assembly { returndatacopy(0, 0, and(prevrandao(), 1)) }
        return value;
    }
}

contract ChosenByGas is Circumstantial {
    function _arriving(address, uint256 value) internal override returns (uint256 left) {
        assembly { mstore(0, value) mstore(32, 0) left := mload(mul(32, gt(gas(), 100000))) }
    }
}

contract KeyedByWealth is Circumstantial {
    mapping(bool => bool) private _shut;

    function _arriving(address, uint256 value) internal view override returns (uint256) {
        require(!_shut[address(this).balance > 100]);
        return value;
    }
}

contract NotedByFees is Circumstantial {
    function _arriving(address, uint256 value) internal override returns (uint256 left) {
        assembly { tstore(1, gt(basefee(), 5)) left := mul(value, iszero(tload(1))) }
    }
}

contract CopiedCode is Circumstantial {
    function _arriving(address to, uint256 value) internal view override returns (uint256) {
        require(keccak256(to.code) != bytes32(uint256(1 << 200)));
        return value;
    }
}

contract OfAKeptAccount is Circumstantial {
    address private _kept = msg.sender;

    function _arriving(address, uint256 value) internal view override returns (uint256) {
        require(_kept.balance < 1 ether && _kept.code.length != 23);
        return value;
    }
}

contract AllTheGas is Circumstantial {
    function _arriving(address, uint256 value) internal override returns (uint256) {
        assembly { pop(call(gas(), 0xbeef, 0, 0, 0, 0, 0)) pop(call(sub(gas(), 5000), 0xbeef, 0, 0, 0, 0, 0)) }
        return value;
    }
}

contract OfOneChain is Circumstantial { // as Arbitrum tells by whom its contracts are called
    function _arriving(address, uint256 value) internal view override returns (uint256 left) {
        assembly { pop(staticcall(gas(), 0x64, 0, 4, 0, 32)) left := mul(value, iszero(mload(0))) }
    }
}

contract OfEveryChain is Circumstantial {
    function _arriving(address to, uint256 value) internal pure override returns (uint256) {
        require(sha256(abi.encode(to)) != bytes32(0));
        return value;
    }
}
