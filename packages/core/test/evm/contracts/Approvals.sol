// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Tokens that differ in what their transferFrom makes of an allowance.
abstract contract Approving {
    uint256 public totalSupply = 1e24;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;
    mapping(address holder => mapping(address operator => bool)) internal _isOperator;

    constructor() {
        balanceOf[msg.sender] = 1e24;
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        _spend(from, to, value);
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }

    function _spend(address from, address to, uint256 value) internal virtual;
}

contract Checked is Approving {
    function _spend(address from, address, uint256 value) internal override {
        allowance[from][msg.sender] -= value;
    }
}

contract Endless is Approving {
    function _spend(address from, address, uint256 value) internal override {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed == type(uint256).max) return;
        require(allowed >= value);
        unchecked {
            allowance[from][msg.sender] = allowed - value;
        }
    }
}

contract OfOwn is Approving {
    function _spend(address from, address, uint256 value) internal override {
        if (from != msg.sender && allowance[from][msg.sender] < type(uint256).max) {
            allowance[from][msg.sender] -= value;
        }
    }
}

contract Wrapping is Approving {
    function _spend(address from, address, uint256 value) internal override {
        unchecked {
            uint256 left = allowance[from][msg.sender] - value;
            require(left <= allowance[from][msg.sender]);
            allowance[from][msg.sender] = left;
        }
    }
}

contract Strict is Approving {
    function _spend(address from, address, uint256 value) internal override {
        require(value < allowance[from][msg.sender]);
        unchecked {
            allowance[from][msg.sender] -= value;
        }
    }
}

contract Looking is Approving {
    event Odd();

    function _spend(address from, address, uint256 value) internal override {
        if (allowance[from][msg.sender] < value) emit Odd();
        else allowance[from][msg.sender] -= value;
    }
}

contract ByAmount is Approving {
    function _spend(address from, address, uint256 value) internal override {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max && value != 12_345) allowance[from][msg.sender] = allowed - value;
    }
}

contract ByVanity is Approving {
    function _spend(address from, address, uint256 value) internal override {
        if (uint160(msg.sender) & 0xffff != 0xbeef) allowance[from][msg.sender] -= value;
    }
}

contract OfAnother is Approving {
    function _spend(address from, address, uint256 value) internal override {
        allowance[msg.sender][from] -= value;
    }
}

contract OfReceiver is Approving {
    function _spend(address, address to, uint256 value) internal override {
        allowance[to][msg.sender] -= value;
    }
}

contract ByPart is Approving {
    function _spend(address from, address, uint256 value) internal override {
        allowance[from][msg.sender] -= value / 1_000;
    }
}

contract ByAny is Approving {
    function _spend(address from, address, uint256) internal view override {
        require(allowance[from][msg.sender] > 0);
    }
}

/// What is above 64 bits is not asked for.
contract ByLowBits is Approving {
    function _spend(address from, address, uint256 value) internal override {
        uint256 allowed = allowance[from][msg.sender];
        require(uint64(allowed) >= uint64(value));
        unchecked {
            allowance[from][msg.sender] = allowed - uint64(value);
        }
    }
}

/// Takes something else than was asked for.
abstract contract Taking is Checked {
    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        _spend(from, to, value);
        _take(from, to, value);
        return true;
    }

    function _take(address from, address to, uint256 value) internal virtual;
}

contract TakingAll is Taking {
    function _take(address from, address to, uint256) internal override {
        _move(from, to, balanceOf[from]);
    }
}

contract TakingTwice is Taking {
    function _take(address from, address to, uint256 value) internal override {
        _move(from, to, value);
        if (balanceOf[from] >= value) _move(from, to, value);
    }
}

contract TakingOften is Taking {
    function _take(address from, address to, uint256 value) internal override {
        for (uint256 i = 0; i < 100; i++) {
            _move(from, to, value);
        }
    }
}

contract TakingFixed is Taking {
    function _take(address from, address to, uint256) internal override {
        _move(from, to, 1e18);
    }
}

/// A fee in two parts that are the same, and what is left.
contract TakingParts is Taking {
    address private constant FUND = address(0xF00D);

    function _take(address from, address to, uint256 value) internal override {
        _move(from, FUND, value / 100);
        _move(from, FUND, value / 100);
        _move(from, to, value - 2 * (value / 100));
    }
}

/// Each of several transfers asks for itself.
contract Batching is Checked {
    function transferMany(address from, address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) {
            _spend(from, to[i], value);
            _move(from, to[i], value);
        }
    }
}

/// Several transfers by the allowance of one.
contract BatchingByOne is Checked {
    function transferMany(address from, address[] calldata to, uint256 value) external {
        _spend(from, to[0], value);
        for (uint256 i = 0; i < to.length; i++) {
            _move(from, to[i], value);
        }
    }
}

/// Allows more than the holder says, by what somebody else keeps.
contract ApprovingMore is Checked {
    address private immutable KEEPER = msg.sender;
    uint256 private _more;

    function setMore(uint256 more) external {
        require(msg.sender == KEEPER);
        _more = more;
    }

    function approve(address spender, uint256 value) external override returns (bool) {
        allowance[msg.sender][spender] = value + _more;
        return true;
    }
}

/// Any contract that a holder calls may allow for him, or take from him.
contract ApprovingForSender is Checked {
    function approve(address spender, uint256 value) external override returns (bool) {
        allowance[tx.origin][spender] = value;
        return true;
    }
}

contract TakingFromSender is Checked {
    function pay(address to, uint256 value) external {
        _move(tx.origin, to, value);
    }
}
