// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {BareToken} from "./BareToken.sol";

/// Decides what is left to a sender, or whether a transfer goes through.
interface ITransferHook {
    function beforeTransfer(address from, address to, uint256 value) external returns (uint256);
}

/// Hands back the amount that it is asked about. Nobody can change what it does.
contract PassiveHook is ITransferHook {
    function beforeTransfer(address, address, uint256 value) external pure returns (uint256) {
        return value;
    }
}

/// Hands back the amount, unless its owner has put one of the two on a list.
contract ListingHook is ITransferHook, Ownable {
    mapping(address account => bool) public listed;

    constructor(address owner_) Ownable(owner_) {}

    function setListed(address account, bool isListed) external onlyOwner {
        listed[account] = isListed;
    }

    function beforeTransfer(address from, address to, uint256 value) external view returns (uint256) {
        require(!listed[from] && !listed[to]);
        return value;
    }
}

/// An ERC-20 whose books are written out, with an owner.
abstract contract HookedToken is BareToken, Ownable {
    uint256 public immutable totalSupply;
    mapping(address holder => uint256) public balanceOf;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_) Ownable(owner_) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }
}

/// What a sender loses is what a hook answers, and the owner replaces the hook.
contract HookOwnedToken is HookedToken {
    ITransferHook public hook;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, ITransferHook hook_)
        HookedToken(name_, symbol_, supply, owner_)
    {
        hook = hook_;
    }

    function setHook(ITransferHook hook_) external onlyOwner {
        hook = hook_;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 held = balanceOf[from];
        require(held >= value);
        balanceOf[from] = held - hook.beforeTransfer(from, to, value);
        balanceOf[to] += value;
    }
}

/// The owner names a hook once, and switches it on once, when he likes.
contract HookEnabledToken is HookedToken {
    ITransferHook public hook;
    bool public enabled;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        HookedToken(name_, symbol_, supply, owner_)
    {}

    function setHook(ITransferHook hook_) external onlyOwner {
        require(address(hook) == address(0));
        hook = hook_;
    }

    function enable() external onlyOwner {
        require(!enabled);
        enabled = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 held = balanceOf[from];
        require(held >= value);
        uint256 taken = enabled ? hook.beforeTransfer(from, to, value) : value;
        balanceOf[from] = held - taken;
        balanceOf[to] += value;
    }
}

/// Asks a hook that nobody replaces before each transfer, and makes nothing of its answer.
contract HookFixedToken is HookedToken {
    ITransferHook public immutable hook;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, ITransferHook hook_)
        HookedToken(name_, symbol_, supply, owner_)
    {
        hook = hook_;
    }

    function _move(address from, address to, uint256 value) internal override {
        hook.beforeTransfer(from, to, value);
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}
