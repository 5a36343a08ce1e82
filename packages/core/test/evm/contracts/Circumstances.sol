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
