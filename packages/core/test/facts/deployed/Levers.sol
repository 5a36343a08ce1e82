// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token without a pool, whose owner has one lever.
abstract contract Levered {
    string public name = "Levered";
    string public symbol = "LVR";
    uint8 public decimals = 18;
    uint256 public totalSupply = 1_000_000 ether;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address public owner = msg.sender;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    constructor() {
        balanceOf[msg.sender] = totalSupply;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
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
        uint256 tax = from == owner ? 0 : rule(from, to, amount);
        balanceOf[from] -= amount;
        balanceOf[to] += amount - tax;
        balanceOf[address(this)] += tax;
        return true;
    }

    function rule(address from, address to, uint256 amount) internal virtual returns (uint256 tax);
}

/// Accounts are listed many at a time.
contract ListingMany is Levered {
    mapping(address account => bool) internal listed;

    function list(address[] calldata accounts, bool yes) external onlyOwner {
        for (uint256 i = 0; i < accounts.length; i++) listed[accounts[i]] = yes;
    }

    function rule(address from, address, uint256) internal view override returns (uint256) {
        require(!listed[from], "listed");
        return 0;
    }
}

/// Accounts are stopped until a moment.
contract Freezing is Levered {
    mapping(address account => uint256) internal frozenUntil;

    function freeze(address account, uint256 until) external onlyOwner {
        frozenUntil[account] = until;
    }

    function rule(address from, address, uint256) internal view override returns (uint256) {
        require(frozenUntil[from] <= block.timestamp, "frozen");
        return 0;
    }
}

/// The tax is in percent, in two small numbers of one word, up to 30.
contract PackedTax is Levered {
    uint8 internal toContracts;
    uint8 internal toAccounts;

    function setTaxes(uint8 contracts, uint8 accounts) external onlyOwner {
        require(contracts <= 30 && accounts <= 30, "too much");
        (toContracts, toAccounts) = (contracts, accounts);
    }

    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        return (amount * (to.code.length > 0 ? toContracts : toAccounts)) / 100;
    }
}

/// The tax is in percent, in two small numbers, up to 30.
contract PercentTax is Levered {
    uint256 internal toContracts;
    uint256 internal toAccounts;

    function setTaxes(uint8 contracts, uint8 accounts) external onlyOwner {
        require(contracts <= 30 && accounts <= 30, "too much");
        (toContracts, toAccounts) = (contracts, accounts);
    }

    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        return (amount * (to.code.length > 0 ? toContracts : toAccounts)) / 100;
    }
}

/// The tax can only be lowered.
contract SinkingTax is Levered {
    uint256 internal bps = 700;

    function lower(uint256 next) external onlyOwner {
        require(next <= bps, "not lower");
        bps = next;
    }

    function rule(address, address, uint256 amount) internal view override returns (uint256) {
        return (amount * bps) / 10_000;
    }
}

/// Whoever comes first can stop everybody.
contract OpenToAll is Levered {
    bool internal stopped;

    function stop(bool yes) external {
        stopped = yes;
    }

    function rule(address, address, uint256) internal view override returns (uint256) {
        require(!stopped, "stopped");
        return 0;
    }
}

/// The lever asks for more than a call: nothing can be shown of it.
contract Delayed is Levered {
    bool internal stopped;
    uint256 internal announced = type(uint256).max;

    function announce() external onlyOwner {
        announced = block.timestamp + 30 days;
    }

    function stop() external onlyOwner {
        require(block.timestamp > announced, "not yet");
        stopped = true;
    }

    function go() external onlyOwner {
        stopped = false;
    }

    function rule(address, address, uint256) internal view override returns (uint256) {
        require(!stopped, "stopped");
        return 0;
    }
}

/// Sets an allowance of anybody to anybody.
contract Allowing is Levered {
    function allow(address account, address spender, uint256 amount) external onlyOwner {
        allowance[account][spender] = amount;
    }

    function rule(address, address, uint256) internal pure override returns (uint256) {
        return 0;
    }
}

/// More levers than are tried.
contract ManyLevers is Levered {
    mapping(uint256 index => bool) internal unused;
    bool internal stopped;

    function s00() external onlyOwner { stopped = true; }
    function s01() external onlyOwner { stopped = true; }
    function s02() external onlyOwner { stopped = true; }
    function s03() external onlyOwner { stopped = true; }
    function s04() external onlyOwner { stopped = true; }
    function s05() external onlyOwner { stopped = true; }
    function s06() external onlyOwner { stopped = true; }
    function s07() external onlyOwner { stopped = true; }
    function s08() external onlyOwner { stopped = true; }
    function s09() external onlyOwner { stopped = true; }
    function s10() external onlyOwner { stopped = true; }
    function s11() external onlyOwner { stopped = true; }
    function s12() external onlyOwner { stopped = true; }
    function s13() external onlyOwner { stopped = true; }
    function s14() external onlyOwner { stopped = true; }
    function s15() external onlyOwner { stopped = true; }
    function s16() external onlyOwner { stopped = true; }
    function s17() external onlyOwner { stopped = true; }
    function s18() external onlyOwner { stopped = true; }
    function s19() external onlyOwner { stopped = true; }
    function s20() external onlyOwner { stopped = true; }
    function s21() external onlyOwner { stopped = true; }
    function s22() external onlyOwner { stopped = true; }
    function go() external onlyOwner { stopped = false; }

    function rule(address, address, uint256) internal view override returns (uint256) {
        require(!stopped, "stopped");
        return 0;
    }
}
