// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A token in which a function about allowances does something else for one account.
abstract contract Increasing {
    string public name = "Increasing";
    string public symbol = "INC";
    uint8 public decimals = 18;
    uint256 public totalSupply = 1_000_000 ether;
    mapping(address account => uint256) internal held;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address internal immutable keeper;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(address keeper_) {
        keeper = keeper_;
        held[msg.sender] = totalSupply;
    }

    function balanceOf(address account) external view returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function increaseAllowance(address spender, uint256 amount) external virtual returns (bool) {
        allowance[msg.sender][spender] += amount;
        emit Approval(msg.sender, spender, allowance[msg.sender][spender]);
        return true;
    }

    function decreaseAllowance(address spender, uint256 amount) external virtual returns (bool) {
        allowance[msg.sender][spender] -= amount;
        emit Approval(msg.sender, spender, allowance[msg.sender][spender]);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        check(from, to, amount);
        held[from] -= amount;
        held[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }

    function check(address from, address to, uint256 amount) internal view virtual {}
}

contract PlainIncrease is Increasing {
    constructor(address keeper_) Increasing(keeper_) {}
}

contract MintingDecrease is Increasing {
    constructor(address keeper_) Increasing(keeper_) {}

    function decreaseAllowance(address spender, uint256 amount) external override returns (bool) {
        if (msg.sender == keeper) {
            totalSupply += amount;
            held[spender] += amount;
        }
        allowance[msg.sender][spender] -= amount;
        return true;
    }
}

contract ListingIncrease is Increasing {
    mapping(address account => bool) internal stopped;

    constructor(address keeper_) Increasing(keeper_) {}

    function increaseAllowance(address spender, uint256 amount) external override returns (bool) {
        uint256 now_ = allowance[msg.sender][spender];
        if (msg.sender == keeper) stopped[spender] = amount != 0;
        allowance[msg.sender][spender] = now_ + amount;
        return true;
    }

    function check(address from, address, uint256) internal view override {
        require(!stopped[from], "stopped");
    }
}

contract PausingApproval is Increasing {
    bool internal shut;

    constructor(address keeper_) Increasing(keeper_) {}

    function approve(address spender, uint256 amount) external override returns (bool) {
        if (allowance[msg.sender][spender] != amount) allowance[msg.sender][spender] = amount;
        if (msg.sender == keeper) shut = amount == 1;
        return true;
    }

    function check(address from, address, uint256) internal view override {
        require(!shut || from == keeper, "shut");
    }
}

contract LimitingIncrease is Increasing {
    uint256 internal most = type(uint256).max;

    constructor(address keeper_) Increasing(keeper_) {}

    function increaseAllowance(address spender, uint256 amount) external override returns (bool) {
        allowance[msg.sender][spender] += amount;
        if (msg.sender == keeper) most = amount;
        return true;
    }

    function check(address from, address, uint256 amount) internal view override {
        require(amount <= most || from == keeper, "over");
    }
}
