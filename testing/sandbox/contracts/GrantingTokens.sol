// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A plain token whose books its heirs read or write otherwise than the standard says.
abstract contract GrantingToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public constant totalSupply = 1_000_000e18;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) internal _allowances;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function allowance(address holder, address spender) public view virtual returns (uint256) {
        return _allowances[holder][spender];
    }

    function approve(address spender, uint256 value) public virtual returns (bool) {
        _allowances[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public virtual returns (bool) {
        uint256 allowed = _allowances[from][msg.sender];
        require(allowed >= value, "allowance");
        if (allowed != type(uint256).max) _allowances[from][msg.sender] = allowed - value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal {
        require(balanceOf[from] >= value, "balance");
        unchecked {
            balanceOf[from] -= value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }
}

/// Lets Permit2 move what anybody holds, without a word of it in the log, as Solady's ERC20 does unless told otherwise.
contract Permit2Native is GrantingToken {
    address private constant _permit2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    constructor() GrantingToken("Ladder", "LADR") {}

    function allowance(address holder, address spender) public view override returns (uint256) {
        return spender == _permit2 ? type(uint256).max : _allowances[holder][spender];
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (msg.sender != _permit2) return super.transferFrom(from, to, value);
        _move(from, to, value);
        return true;
    }
}

/// Denies the allowances that it honours.
contract DenyingToken is GrantingToken {
    constructor() GrantingToken("Denial", "DENY") {}

    function allowance(address, address) public pure override returns (uint256) {
        return 0;
    }
}

/// Keeps allowances in 96 bits, as COMP and UNI do: all of them is 2^96 - 1.
contract NarrowToken is GrantingToken {
    constructor() GrantingToken("Narrow", "NRRW") {}

    function approve(address spender, uint256 value) public override returns (bool) {
        return super.approve(spender, value == type(uint256).max ? type(uint96).max : value);
    }
}

/// Announces approvals that nobody gave, and stands by them.
contract SpammingToken is GrantingToken {
    constructor() GrantingToken("Claim your prize", "PRIZE") {}

    function allowance(address, address) public pure override returns (uint256) {
        return type(uint256).max;
    }

    function announce(address holder, uint160 first, uint160 count) external {
        for (uint160 i; i < count; i++) emit Approval(holder, address(first + i), type(uint256).max);
    }
}
